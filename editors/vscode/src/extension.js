// The client of `cml lsp`: starts it, runs checks, and shows the report of a check in a panel.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");
const { settings, summaryKind, page } = require("./report");

let client;
let panel;

async function start(context) {
  const path = vscode.workspace.getConfiguration("cml").get("path");
  client = new LanguageClient(
    "cml",
    "CML",
    { command: path, args: ["lsp"], transport: TransportKind.stdio },
    {
      documentSelector: [{ language: "cml" }],
      middleware: {
        // The lens "Check" and the command of the palette do the same.
        executeCommand: async (command, args, next) => {
          if (command === "cml.check") return check(args[0]);
          if (command === "cml.simulate") return simulate(args[0]);
          return next(command, args);
        },
      },
    },
  );
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider("cml-std", {
      provideTextDocumentContent: async (uri) =>
        (await client.sendRequest("cml/module", { uri: uri.toString(true) })).text,
    }),
  );
  try {
    await client.start();
  } catch (failure) {
    vscode.window.showErrorMessage(
      `The language server of CML did not start: ${failure.message}. Is \`${path}\` installed? The setting cml.path says where it is.`,
    );
  }
}

/// Runs a command of the server on a text, with a progress that can be cancelled.
function execute(command, uri, options, title) {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    (_, token) =>
      client.sendRequest("workspace/executeCommand", { command, arguments: [uri, options] }, token),
  );
}

function checkOptions() {
  return settings(vscode.workspace.getConfiguration("cml").get("checkOptions"));
}

function tell(result) {
  const show = {
    information: vscode.window.showInformationMessage,
    warning: vscode.window.showWarningMessage,
    error: vscode.window.showErrorMessage,
  }[summaryKind(result)];
  return show(result.summary, ...(result.verdict === "violated" ? ["Step through it"] : []));
}

async function attempt(work) {
  try {
    await work();
  } catch (failure) {
    if (failure.code !== -32800) vscode.window.showErrorMessage(`CML: ${failure.message}`);
  }
}

function check(uri) {
  return attempt(async () => {
    const result = await execute("cml.check", uri, checkOptions(), "Checking the model …");
    if ((await tell(result)) === "Step through it") await report(uri);
  });
}

function simulate(uri) {
  return attempt(async () => {
    const result = await execute("cml.simulate", uri, [], "Walking through the model …");
    await tell(result);
  });
}

function report(uri) {
  return attempt(async () => {
    const { html } = await execute("cml.report", uri, checkOptions(), "Checking the model …");
    if (!html) {
      vscode.window.showErrorMessage("The model has errors, so there is no report.");
      return;
    }
    if (!panel) {
      panel = vscode.window.createWebviewPanel("cml.report", "CML", vscode.ViewColumn.Beside, {
        enableScripts: true,
        localResourceRoots: [],
        retainContextWhenHidden: true,
      });
      panel.onDidDispose(() => (panel = undefined));
    }
    panel.webview.html = page(html);
    panel.reveal();
  });
}

function activate(context) {
  const here = (work) => () => {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId === "cml") return work(editor.document.uri.toString());
  };
  const commands = {
    "cml.checkThis": here(check),
    "cml.simulateThis": here(simulate),
    "cml.showReport": here(report),
    "cml.restart": () => client?.restart(),
  };
  for (const [name, work] of Object.entries(commands))
    context.subscriptions.push(vscode.commands.registerCommand(name, work));
  return start(context);
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
