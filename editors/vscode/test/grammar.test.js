// The grammar on all examples, the standard library and the models of the tests: what the language calls a
// keyword has the colour of one, names have not, and comments and strings end where they end.
const { test } = require("node:test");
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const root = path.join(__dirname, "../../..");

async function grammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      textmate.parseRawGrammar(
        fs.readFileSync(path.join(__dirname, "../syntaxes/cml.tmLanguage.json"), "utf8"),
        "cml.tmLanguage.json",
      ),
  });
  return registry.loadGrammar("source.cml");
}

function models(folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(".cml"))
    .map((name) => path.join(root, folder, name));
}

/// Words that are never names, from the grammar of the language.
function keywords() {
  const lexer = fs.readFileSync(path.join(root, "grammar/CmlLexer.g4"), "utf8");
  const section = lexer.slice(lexer.indexOf("ASSERT:"), lexer.indexOf("// Words that mean something"));
  return new Set([...section.matchAll(/'([a-z]+)'/g)].map((found) => found[1]));
}

function words(compiled, text) {
  const found = [];
  let state = textmate.INITIAL;
  text.split(/\r?\n/).forEach((line, number) => {
    const result = compiled.tokenizeLine(line, state);
    state = result.ruleStack;
    for (const token of result.tokens) {
      const scope = token.scopes.join(" ");
      for (const word of line.slice(token.startIndex, token.endIndex).matchAll(/[A-Za-z_]\w*/g))
        found.push({ word: word[0], scope, line: number + 1, before: line.slice(0, token.startIndex + word.index) });
    }
  });
  return { found, end: state };
}

const isText = (scope) => /comment|string/.test(scope);
const isKeyword = (scope) => /keyword|storage|constant\.language|variable\.language/.test(scope);

test("all keywords of all models have the colour of keywords, and names have not", async () => {
  const compiled = await grammar();
  const always = keywords();
  assert.ok(always.size > 40);
  const contextual = new Set(
    ("by capacity commutes daemon discipline fairness guarded implements init max model of or prefers writers process " +
      "property terminates unshared until when mutex condition rwlock read write label always eventually implies release " +
      "under weak strong none forall exists count mod set").split(" "),
  );
  let count = 0;
  for (const file of [...models("examples"), ...models("stdlib"), ...models("tests/models")]) {
    const { found, end } = words(compiled, fs.readFileSync(file, "utf8"));
    for (const { word, scope, line, before } of found) {
      if (isText(scope)) continue;
      const where = `${path.relative(root, file)}:${line}: ${word} is ${scope}`;
      count += 1;
      const isMember = /\.\s*$/.test(before) || /\bfun\s+$/.test(before);
      if (always.has(word) && !isMember) assert.ok(isKeyword(scope), where);
      if (!always.has(word) && !contextual.has(word) && !/^0?x/.test(word))
        assert.ok(!isKeyword(scope), where);
      assert.ok(!/invalid/.test(scope), where);
    }
    assert.strictEqual(end.depth, 1, `${file}: something is still open at its end`);
  }
  assert.ok(count > 5000, `${count} words`);
});

test("what the declarations of an example are called has colours of its own", async () => {
  const compiled = await grammar();
  const { found } = words(
    compiled,
    'model "m";\nclass Box<T> { synchronized fun put(v: T) { notifyAll(); } }\nthread Main { let x = 1; }\n' +
      "condition c of m;\nsemaphore s = 0 max 2;\nshared y: int guarded by m;\n",
  );
  const scope = (word) => found.find((one) => one.word === word).scope;
  assert.match(scope("model"), /storage/);
  assert.match(scope("Box"), /entity\.name\.type/);
  assert.match(scope("put"), /entity\.name\.function/);
  assert.match(scope("notifyAll"), /function\.call/);
  assert.match(scope("Main"), /entity\.name\.type\.thread/);
  assert.match(scope("condition"), /storage/);
  assert.match(scope("of"), /storage/);
  assert.match(scope("max"), /storage/);
  assert.match(scope("guarded"), /storage/);
  assert.match(scope("x"), /variable/);
});
