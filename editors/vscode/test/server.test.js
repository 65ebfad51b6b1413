// The server through the library that the extension talks to it with. CML says where the program is; without it, the one
// that was built beside these sources; if there is none, this is left out.
const { test } = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { spawn } = require("node:child_process");
const protocol = require("vscode-languageserver-protocol/node");

const program = process.env.CML ?? path.join(__dirname, "../../../build/release/cml");
const example = path.join(__dirname, "../../../examples/philosophers.cml");

test("the server speaks with the editor's library", { skip: !fs.existsSync(program) && "cml is not built" }, async () => {
  const server = spawn(program, ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const told = new Promise((resolve) =>
    connection.onNotification(protocol.PublishDiagnosticsNotification.type, resolve),
  );
  connection.listen();
  const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
  });
  for (const one of ["hoverProvider", "renameProvider", "completionProvider", "semanticTokensProvider", "inlayHintProvider"])
    assert.ok(capabilities[one], one);
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const uri = `file://${example}`;
  const text = fs.readFileSync(example, "utf8");
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "cml", version: 1, text },
  });
  assert.deepStrictEqual((await told).diagnostics, []);
  const line = text.split("\n").findIndex((one) => one.startsWith("shared meals"));
  const hover = await connection.sendRequest(protocol.HoverRequest.type, {
    textDocument: { uri },
    position: { line, character: 8 },
  });
  assert.match(hover.contents.value, /shared meals: int\(0\.\.100\)/);
  const result = await connection.sendRequest(protocol.ExecuteCommandRequest.type, {
    command: "cml.check",
    arguments: [uri, ["--max-time", "60"]],
  });
  assert.strictEqual(result.verdict, "violated");
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  const status = await new Promise((resolve) => server.on("exit", resolve));
  assert.strictEqual(status, 0);
});
