#include "lsp/server.h"

#include <functional>
#include <memory>
#include <utility>

#include "frontend/stdlib_embedded.h"
#include "lsp/checks.h"
#include "lsp/protocol.h"
#include "lsp/requests.h"
#include "lsp/uri.h"
#include "support/version.h"

namespace cml::lsp {
namespace {

using rpc::Answer;
using rpc::Failure;

class LanguageServer {
 public:
  LanguageServer(int in, int out)
      : server_(std::make_unique<rpc::HeaderFraming>(), in, out),
        checks_(server_, workspace_, [this](Document& document) { tell_result(document); }) {
    server_.cancelled_by("$/cancelRequest", "id", true);
    server_.on_cancelled([this](const Json& id) { checks_.cancel(id); });
    server_.guard([this](std::string_view method) { return guard(method); });
    server_.on_idle([this] { tell_diagnostics(); });
    handle_lifecycle();
    handle_documents();
    handle_requests();
  }

  bool run() {
    server_.run();
    return is_shut_down_;
  }

 private:
  using Asked = Json (*)(Workspace&, const Json&);
  using MayFail = Answer (*)(Workspace&, const Json&);

  std::variant<std::monostate, Failure> guard(std::string_view method) const {
    if (method == "exit") return {};
    if (is_shut_down_) return Failure{rpc::kInvalidRequest, "the server has been shut down"};
    if (!is_initialized_ && method != "initialize")
      return Failure{rpc::kNotInitialized, "`initialize` comes first"};
    if (is_initialized_ && method == "initialize")
      return Failure{rpc::kInvalidRequest, "`initialize` comes once"};
    return {};
  }

  void handle_lifecycle() {
    server_.on("initialize", [this](const Json& params, const Json&) -> Answer {
      initialize(params);
      return Json{{"capabilities", capabilities()},
                  {"serverInfo", {{"name", "cml"}, {"version", kVersion}}}};
    });
    server_.on_notification("initialized", [this](const Json&) {
      if (watches_files_) watch_models();
    });
    server_.on("shutdown", [this](const Json&, const Json&) -> Answer {
      is_shut_down_ = true;
      checks_.stop_all();
      return Json(nullptr);
    });
    server_.on_notification("exit", [this](const Json&) { server_.stop(); });
    // Not of the protocol: the text of a module of the standard library that is in no file.
    server_.on("cml/module", [](const Json& params, const Json&) -> Answer {
      const std::string name = module_of_uri(params.at("uri").get<std::string>());
      for (const EmbeddedModule& module : embedded_stdlib())
        if (module.name == name) return Json{{"text", module.text}};
      return Failure{rpc::kInvalidParams, "there is no such module"};
    });
  }

  void initialize(const Json& params) {
    std::vector<std::string> folders;
    const Json listed = params.value("workspaceFolders", Json());
    if (listed.is_array())
      for (const Json& folder : listed)
        folders.push_back(path_of_uri(folder.at("uri").get<std::string>()));
    const Json root = params.value("rootUri", Json());
    if (folders.empty() && root.is_string())
      folders.push_back(path_of_uri(root.get<std::string>()));
    workspace_.set_folders(std::move(folders));
    const Json workspace =
        params.value("capabilities", Json::object()).value("workspace", Json::object());
    const auto refreshes = [&](const char* what) {
      return workspace.value(what, Json::object()).value("refreshSupport", false);
    };
    refreshes_hints_ = refreshes("inlayHint");
    refreshes_lenses_ = refreshes("codeLens");
    watches_files_ = workspace.value("didChangeWatchedFiles", Json::object())
                         .value("dynamicRegistration", false);
    is_initialized_ = true;  // not if the parameters are wrong
  }

  /// The client tells when a model changes on the disk.
  void watch_models() {
    const Json watchers = Json::array({{{"globPattern", "**/*.cml"}}});
    const Json registration = {{"id", "models"},
                               {"method", "workspace/didChangeWatchedFiles"},
                               {"registerOptions", {{"watchers", watchers}}}};
    server_.request("client/registerCapability", {{"registrations", Json::array({registration})}});
  }

  static Json capabilities() {
    return {{"positionEncoding", "utf-16"},
            {"textDocumentSync",
             {{"openClose", true},
              {"change", TextDocumentSyncKind::Incremental},
              {"save", {{"includeText", false}}}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"documentSymbolProvider", true},
            {"workspaceSymbolProvider", true},
            {"completionProvider", {{"triggerCharacters", {"."}}}},
            {"semanticTokensProvider", {{"legend", semantic_tokens_legend()}, {"full", true}}},
            {"foldingRangeProvider", true},
            {"documentFormattingProvider", true},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
            {"codeLensProvider", {{"resolveProvider", false}}},
            {"inlayHintProvider", true},
            {"executeCommandProvider", {{"commands", Checks::commands()}}}};
  }

  void handle_documents() {
    server_.on_notification("textDocument/didOpen", [this](const Json& params) {
      workspace_.open(params.at("textDocument"));
    });
    server_.on_notification("textDocument/didChange",
                            [this](const Json& params) { workspace_.change(params); });
    server_.on_notification("textDocument/didClose", [this](const Json& params) {
      const auto uri = params.at("textDocument").at("uri").get<std::string>();
      checks_.stop_of(uri);
      workspace_.close(uri);
      publish(uri, Json::array(), {});
    });
    // What is imported and not open is read from the disk.
    for (const char* method : {"textDocument/didSave", "workspace/didChangeWatchedFiles"})
      server_.on_notification(method, [this](const Json&) { workspace_.files_have_changed(); });
  }

  void handle_requests() {
    const std::pair<const char*, Asked> asked[] = {
        {"textDocument/hover", hover},
        {"textDocument/definition", definition},
        {"textDocument/references", references},
        {"textDocument/documentHighlight", highlights},
        {"textDocument/documentSymbol", document_symbols},
        {"workspace/symbol", workspace_symbols},
        {"textDocument/completion", completion},
        {"textDocument/semanticTokens/full", semantic_tokens},
        {"textDocument/foldingRange", folding_ranges},
        {"textDocument/formatting", formatting},
        {"textDocument/codeAction", code_actions},
        {"textDocument/codeLens", code_lenses},
        {"textDocument/inlayHint", inlay_hints},
    };
    for (const auto& [method, request] : asked)
      server_.on(method, [this, request = request](const Json& params, const Json&) -> Answer {
        return request(workspace_, params);
      });
    const std::pair<const char*, MayFail> may_fail[] = {
        {"textDocument/prepareRename", prepare_rename}, {"textDocument/rename", rename}};
    for (const auto& [method, request] : may_fail)
      server_.on(method, [this, request = request](const Json& params, const Json&) -> Answer {
        return request(workspace_, params);
      });
    server_.on("workspace/executeCommand", [this](const Json& params, const Json& id) -> Answer {
      return checks_.execute(params, id);
    });
  }

  void publish(const std::string& uri, Json list, std::optional<std::int64_t> version) {
    Json params = {{"uri", uri}, {"diagnostics", std::move(list)}};
    if (version) params["version"] = *version;
    server_.notify("textDocument/publishDiagnostics", params);
  }

  void tell_diagnostics() {
    for (auto& [uri, document] : workspace_.documents()) {
      if (!document.is_changed) continue;
      document.is_changed = false;
      publish(uri, diagnostics(workspace_, document), document.version);
    }
  }

  /// A check has come to its end.
  void tell_result(Document& document) {
    document.is_changed = false;
    publish(document.uri, diagnostics(workspace_, document), document.version);
    if (refreshes_hints_) server_.request("workspace/inlayHint/refresh", nullptr);
    if (refreshes_lenses_) server_.request("workspace/codeLens/refresh", nullptr);
  }

  rpc::Server server_;
  Workspace workspace_;
  Checks checks_;
  bool is_initialized_ = false;
  bool is_shut_down_ = false;
  bool watches_files_ = false;
  bool refreshes_hints_ = false;
  bool refreshes_lenses_ = false;
};

}  // namespace

bool serve(int in, int out) { return LanguageServer(in, out).run(); }

}  // namespace cml::lsp
