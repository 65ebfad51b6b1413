// The bundle, in an editor that is made of paper: it registers its commands, starts the server, and tells a check's result.
const { test } = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const Module = require("node:module");

const program = process.env.CML ?? path.join(__dirname, "../../../build/release/cml");
const bundle = path.join(__dirname, "../dist/extension.js");
const skip = (!fs.existsSync(program) && "cml is not built") || (!fs.existsSync(bundle) && "the bundle is not built");

/// Whatever is asked of it is there: a class, a function, an event, an enumeration.
function paper(known = {}) {
  const made = class {};
  return new Proxy(made, {
    get: (target, name) => {
      if (name in known) return known[name];
      if (name === "prototype") return target.prototype;
      if (name === Symbol.toPrimitive) return () => 1;
      if (name === "then") return undefined;
      known[name] = paper();
      return known[name];
    },
    apply: () => paper(),
    set: (_, name, value) => ((known[name] = value), true),
    // Of a class that is derived from it, an object of that class.
    construct: (target, values, derived) =>
      derived.prototype !== target.prototype
        ? Reflect.construct(target, values, derived)
        : paper({ dispose() {}, event: () => ({ dispose() {} }), fire() {} }),
  });
}

test("the extension starts, and registers what it describes", { skip }, async () => {
  const commands = {};
  const errors = [];
  const vscode = paper({
    version: "1.90.0",
    env: { appName: "paper", language: "en" },
    workspace: paper({
      getConfiguration: () => ({ get: (name) => (name === "path" ? program : []), has: () => false }),
      textDocuments: [],
      notebookDocuments: [],
      workspaceFolders: undefined,
      registerTextDocumentContentProvider: () => ({ dispose() {} }),
      createFileSystemWatcher: () => paper(),
    }),
    window: paper({
      activeTextEditor: undefined,
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: () => ({ dispose() {} }) },
      showErrorMessage: (text) => errors.push(text),
      createOutputChannel: () => ({ append() {}, appendLine() {}, dispose() {}, show() {} }),
    }),
    commands: { registerCommand: (name, work) => ((commands[name] = work), { dispose() {} }) },
  });
  const load = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  let extension;
  try {
    extension = require(bundle);
    const context = { subscriptions: [] };
    await extension.activate(context);
  } finally {
    Module._load = load;
  }
  assert.deepStrictEqual(errors, []);
  for (const name of ["cml.checkThis", "cml.simulateThis", "cml.showReport", "cml.restart"])
    assert.ok(commands[name], name);
  assert.ok(commands["cml.check"], "what the server offers is registered, too");
  await extension.deactivate();
});
