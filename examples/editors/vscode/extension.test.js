// Activates the extension beside a stand-in for VS Code and checks what it starts and registers.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const test = require("node:test");

function activated(startClient) {
  const seen = { commands: new Map(), errors: [], lines: [], sent: [] };
  const vscode = {
    workspace: {
      isTrusted: false,
      getConfiguration: () => ({ get: () => ["shapeinfer", "lsp"] }),
      onDidGrantWorkspaceTrust: (run) => {
        seen.trust = async () => {
          vscode.workspace.isTrusted = true;
          await run();
        };
      },
    },
    commands: { registerCommand: (name, run) => seen.commands.set(name, run) },
    window: { showErrorMessage: (message) => seen.errors.push(message), showOpenDialog: async () => undefined },
  };
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(seen, { server, options });
      this.outputChannel = { appendLine: (line) => seen.lines.push(line), show: () => {} };
      this.start = startClient;
      this.stop = async () => {};
      this.sendRequest = async (...request) => {
        seen.sent.push(request);
        return "found";
      };
    }
  }
  const load = Module._load;
  Module._load = (name, ...rest) => ({ vscode, "vscode-languageclient/node": { LanguageClient } })[name] ?? load(name, ...rest);
  try {
    delete require.cache[require.resolve("./extension.js")];
    return { extension: require("./extension.js"), seen };
  } finally {
    Module._load = load;
  }
}

test("it starts the server for models as text, and checks others when asked", async () => {
  const { extension, seen } = activated(async () => {});
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(seen.server, { command: "shapeinfer", args: ["lsp"] });
  assert.deepStrictEqual(seen.options.documentSelector, [{ language: "onnxtxt" }]);
  await seen.commands.get("shapeinfer.check")({ toString: () => "file:///net.onnx" });
  const [method, params] = seen.sent[0];
  assert.strictEqual(method, "workspace/executeCommand");
  assert.deepStrictEqual(params, { command: "shapeinfer.checkModel", arguments: ["file:///net.onnx"] });
  assert.deepStrictEqual(seen.lines, ["found"]);
});

test("it tells the server whether the workspace is trusted, and once more when that is granted", async () => {
  const { extension, seen } = activated(async () => {});
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(seen.options.initializationOptions, { trusted: false });
  await seen.trust();
  assert.deepStrictEqual(seen.options.initializationOptions, { trusted: true });
});

test("it says what to install where the server does not start", async () => {
  const { extension, seen } = activated(async () => {
    throw new Error("not found");
  });
  await extension.activate({ subscriptions: [] });
  assert.match(seen.errors[0], /pip install 'shapeinfer\[lsp\]'/);
});
