// What the extension does besides talking to the editor; its snippets and its description are valid.
const { test } = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { settings, summaryKind, page } = require("../src/report");

const read = (name) => JSON.parse(fs.readFileSync(path.join(__dirname, "..", name), "utf8"));

test("what is inconclusive is no success", () => {
  assert.strictEqual(summaryKind({ verdict: "verified" }), "information");
  assert.strictEqual(summaryKind({ verdict: "inconclusive" }), "warning");
  assert.strictEqual(summaryKind({ verdict: "violated" }), "error");
  assert.strictEqual(summaryKind({ verdict: null }), "error");
  assert.deepStrictEqual(settings(["-D", "N=3", 7]), ["-D", "N=3"]);
  assert.deepStrictEqual(settings(undefined), []);
});

test("the report in a panel fetches nothing", () => {
  assert.match(page("<!DOCTYPE html><html><head><title>x</title>"), /<head><meta http-equiv="Content-Security-Policy"/);
  assert.match(page("<p>x"), /^<meta/);
});

test("commands, files and snippets that are described exist", () => {
  const extension = read("package.json");
  const source = fs.readFileSync(path.join(__dirname, "../src/extension.js"), "utf8");
  for (const { command } of extension.contributes.commands) assert.ok(source.includes(`"${command}"`), command);
  for (const { path: file } of [...extension.contributes.grammars, ...extension.contributes.snippets])
    assert.ok(fs.existsSync(path.join(__dirname, "..", file)), file);
  for (const [name, snippet] of Object.entries(read("snippets/cml.json"))) {
    assert.ok(snippet.prefix && snippet.body.length > 0, name);
    assert.match(snippet.body.join("\n"), /\$(0|\{1)/, name);
  }
  assert.ok(read("language-configuration.json").brackets.length > 0);
});
