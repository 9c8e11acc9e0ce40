// Reads a model with the grammar, as VS Code does, and checks what each name is taken for.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

const TEXT = `# a net
<ir_version: 10, opset_import: ["" : 20, "my" : 1]>
net (float[N, "H + 1", 3, ?] x, seq(int64) s, bool c) => (float y)
<float[2] w = {1, -2.5e3}, float[N] h>
{
    [label] h = my.sub.Conv <group = 1, auto_pad: string = "SAME", t = float[1] {nan}> (x, w)
    z = If (c) <then_branch = yes () => (float[N] a) { a = Relu (h) }>
    y = Elu <alpha: float = @slope> (z)
}
`;

async function grammar() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => {
      const file = path.join(__dirname, "syntaxes", "onnxtxt.tmLanguage.json");
      return textmate.parseRawGrammar(fs.readFileSync(file, "utf8"), file);
    },
  });
  return registry.loadGrammar("source.onnxtxt");
}

async function scopes() {
  const rules = await grammar();
  const found = new Map();
  let state = textmate.INITIAL;
  for (const line of TEXT.split("\n")) {
    const { tokens, ruleStack } = rules.tokenizeLine(line, state);
    for (const token of tokens) {
      const text = line.slice(token.startIndex, token.endIndex).trim();
      if (text && !found.has(text)) {
        found.set(text, token.scopes.at(-1).replace(".onnxtxt", ""));
      }
    }
    state = ruleStack;
  }
  return found;
}

test("names have the scope of what they are", async () => {
  const found = await scopes();
  const expected = {
    "# a net": "comment.line.number-sign",
    opset_import: "keyword.other",
    float: "storage.type",
    seq: "storage.type",
    N: "entity.name.type.parameter",
    "?": "constant.language",
    "=>": "keyword.operator.arrow",
    "-2.5e3": "constant.numeric",
    "my.sub.": "entity.name.namespace",
    Conv: "entity.name.function",
    If: "entity.name.function",
    Elu: "entity.name.function",
    group: "variable.parameter",
    auto_pad: "variable.parameter",
    alpha: "variable.parameter",
    then_branch: "variable.parameter",
    nan: "constant.numeric",
    "@slope": "variable.language",
    label: "variable.other",
    yes: "variable.other",
  };
  for (const [text, scope] of Object.entries(expected)) {
    assert.strictEqual(found.get(text), scope, text);
  }
});
