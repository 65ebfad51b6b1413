// Control flow: a function with a result returns one on every path (a `loop` without `break` counts
// as returning), and code after `return`, `break`, … is never reached (docs/reference.md,
// "Functions").
#include <fmt/format.h>

#include "frontend/sema/rules.h"
#include "frontend/sema/statement_flow.h"

namespace cml::sema {
namespace {

struct Reach {
  bool reachable = true;
  void join(const Reach& other) { reachable = reachable || other.reachable; }
};

class Flow : public StatementFlow<Reach> {
 public:
  Flow(const RuleContext& context, const CodeBody& code)
      : StatementFlow(context.model), context_(context), code_(code) {}

  void check() {
    Reach state;
    block(state, code_.body->block);
    if (!state.reachable || !code_.function) return;
    const model::Function& function = model_.functions[*code_.function];
    const model::Type& result = model_.types[function.result];
    if (std::holds_alternative<model::VoidType>(result) ||
        std::holds_alternative<model::ErrorType>(result)) {
      return;
    }
    const SourceRange body = function.body.block.range;
    const SourceRange brace{body.file, body.end > 0 ? body.end - 1 : 0, body.end};
    context_.reporter
        .report(Code::MissingReturn, function.range,
                fmt::format("`{}` can end without a `return`, but it returns `{}`", function.name,
                            model::type_name(model_, function.result)),
                code_.note)
        .also(brace, "this end can be reached")
        .cure("return a value on every path, or `fail` where none exists");
  }

 protected:
  void visit(const Reach& state, const model::Stmt& stmt, bool first) override {
    if (state.reachable || first) return;
    if (reported_) return;  // once for each body: what follows is most often the same mistake
    reported_ = true;
    context_.reporter
        .report(Code::UnreachableCode, stmt.range, "this statement is never reached", code_.note)
        .cure("remove it, or the jump before it");
  }

 private:
  const RuleContext& context_;
  const CodeBody& code_;
  bool reported_ = false;
};

}  // namespace

void check_flow(const RuleContext& context) {
  for (const CodeBody& code : context.bodies)
    Flow(context, code).check();
}

}  // namespace cml::sema
