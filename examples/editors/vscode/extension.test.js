// Activates the extension beside a stand-in for VS Code and checks what it starts and registers.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const test = require("node:test");

class Uri {
  constructor({ scheme, authority = "", path }) {
    Object.assign(this, { scheme, authority, path });
  }
  static from(parts) {
    return new Uri(parts);
  }
  static parse(text) {
    return new Uri({ scheme: "file", path: text.replace("file://", "") });
  }
  static joinPath({ scheme, authority, path }) {
    return new Uri({ scheme, authority, path: path.slice(0, path.lastIndexOf("/")) });
  }
  toString() {
    return `${this.scheme}://${this.authority}${this.path}`;
  }
}

/** A watcher of files that never change. */
const WATCHER = { onDidChange: () => {}, onDidCreate: () => {}, dispose: () => {} };
const PAGE = '<html lang="en"><head><title>net</title></head></html>';

function activated(startClient, given = {}) {
  const seen = { commands: new Map(), errors: [], lines: [], sent: [], editors: new Map(), ran: [] };
  const settings = { command: ["shapeinfer", "lsp"], models: [], ...given.settings };
  const answers = { "shapeinfer.modelText": { content: "text", error: "" }, ...given.answers };
  const vscode = {
    Uri,
    EventEmitter: class {},
    RelativePattern: class {
      constructor(base, pattern) {
        Object.assign(this, { base, pattern });
      }
    },
    ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3 },
    ViewColumn: { Beside: -2 },
    workspace: {
      isTrusted: false,
      getConfiguration: () => ({ get: (name) => settings[name] }),
      onDidChangeConfiguration: () => {},
      onDidCloseTextDocument: () => {},
      createFileSystemWatcher: () => WATCHER,
      workspaceFolders: [{ uri: Uri.parse("file:///folder") }],
      findFiles: async ({ base, pattern }) => [Uri.parse(`file://${base.uri.path}/${pattern}`)],
      registerTextDocumentContentProvider: (scheme, provider) => (seen.texts = { scheme, provider }),
      onDidGrantWorkspaceTrust: (run) => {
        seen.trust = async () => {
          vscode.workspace.isTrusted = true;
          await run();
        };
      },
    },
    commands: {
      registerCommand: (name, run) => seen.commands.set(name, run),
      executeCommand: async (...command) => seen.ran.push(command),
    },
    window: {
      activeColorTheme: { kind: 2 },
      registerCustomEditorProvider: (type, provider) => seen.editors.set(type, provider),
      showErrorMessage: async (message) => void seen.errors.push(message),
      showOpenDialog: async () => undefined,
    },
  };
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(seen, { server, options });
      this.outputChannel = { appendLine: (line) => seen.lines.push(line), show: () => {} };
      this.start = startClient;
      this.stop = async () => {};
      this.sendRequest = async (...request) => {
        seen.sent.push(request);
        return answers[request[1].command] ?? "found";
      };
    }
  }
  const load = Module._load;
  Module._load = (name, ...rest) => ({ vscode, "vscode-languageclient/node": { LanguageClient } })[name] ?? load(name, ...rest);
  try {
    delete require.cache[require.resolve("./extension.js")];
    delete require.cache[require.resolve("./models.js")];
    return { extension: require("./extension.js"), seen };
  } finally {
    Module._load = load;
  }
}

/** A panel, and what became of it. */
function panelOf() {
  const posted = [];
  const panel = { webview: { postMessage: async (message) => posted.push(message) }, onDidDispose: () => {}, posted };
  panel.reveal = () => (panel.isRevealed = true);
  return panel;
}

test("it starts the server for models as text, and checks others when asked", async () => {
  const { extension, seen } = activated(async () => {});
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(seen.server, { command: "shapeinfer", args: ["lsp"] });
  assert.deepStrictEqual(seen.options.documentSelector, [
    { language: "onnxtxt" },
    { language: "python", scheme: "file" },
  ]);
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

test("it names the reason for which the server did not start, also where that is only a text", async () => {
  const { extension, seen } = activated(async () => Promise.reject("spawn failed"));
  await extension.activate({ subscriptions: [] });
  assert.match(seen.errors[0], /spawn failed/);
});

test("it opens the models that the setting names", async () => {
  const { extension, seen } = activated(async () => {}, { settings: { models: ["out/*.onnx"] } });
  await extension.activate({ subscriptions: [] });
  await new Promise(setImmediate);
  const opened = { command: "shapeinfer.openModel", arguments: ["file:///folder/out/*.onnx"] };
  assert.deepStrictEqual(seen.sent, [["workspace/executeCommand", opened]]);
});

test("it shows a model as the page that the server writes, in the window's colours", async () => {
  const answers = { "shapeinfer.modelPage": { content: PAGE, error: "" } };
  const { extension, seen } = activated(async () => {}, { answers });
  await extension.activate({ subscriptions: [] });
  const editor = seen.editors.get("shapeinfer.model");
  const panel = panelOf();
  await editor.resolveCustomEditor(editor.openCustomDocument(Uri.parse("file:///net.onnx")), panel);
  assert.match(panel.webview.html, /^<html lang="en" data-theme="dark"><head><title>net<.title><style>/);
  assert.deepStrictEqual(panel.webview.options.localResourceRoots, []);
  assert.strictEqual(panel.webview.options.enableCommandUris, false);
});

test("what is wrong with a file is shown as text, which runs nothing", async () => {
  const answers = { "shapeinfer.modelPage": { content: "", error: "<script>alert(1)</script>" } };
  const { extension, seen } = activated(async () => {}, { answers });
  await extension.activate({ subscriptions: [] });
  const panel = panelOf();
  await seen.editors.get("shapeinfer.model").resolveCustomEditor({ uri: Uri.parse("file:///net.onnx") }, panel);
  assert.match(panel.webview.html, /default-src 'none'; style-src 'unsafe-inline'"/);
  assert.match(panel.webview.html, /<pre>&#60;script&#62;alert/);
  assert.doesNotMatch(panel.webview.html, /<script/);
});

test("it shows a model as text under a name of its own, and what is wrong with it as a comment", async () => {
  const { extension, seen } = activated(async () => {});
  await extension.activate({ subscriptions: [] });
  const place = new Uri({ scheme: "shapeinfer", path: "/a/net.onnx.onnxtxt" });
  assert.strictEqual(seen.texts.scheme, "shapeinfer");
  assert.strictEqual(await seen.texts.provider.provideTextDocumentContent(place), "text");
  const asked = { command: "shapeinfer.modelText", arguments: ["file:///a/net.onnx"] };
  assert.deepStrictEqual(seen.sent, [["workspace/executeCommand", asked]]);
  const answers = { "shapeinfer.modelText": { content: "", error: "first\nsecond" } };
  const broken = activated(async () => {}, { answers });
  await broken.extension.activate({ subscriptions: [] });
  assert.strictEqual(await broken.seen.texts.provider.provideTextDocumentContent(place), "# first\n# second");
});

test("the way from a line of a program to its nodes leads to the page in the window", async () => {
  const answers = { "shapeinfer.modelPage": { content: PAGE, error: "" } };
  const { extension, seen } = activated(async () => {}, { answers });
  await extension.activate({ subscriptions: [] });
  const { executeCommand } = seen.options.middleware;
  const go = (value) => executeCommand("shapeinfer.showValue", ["file:///net.onnx", value]);
  await go("/h#1");
  const model = Uri.parse("file:///net.onnx");
  assert.deepStrictEqual(seen.ran, [["vscode.openWith", model, "shapeinfer.model", -2]]);
  const panel = panelOf();
  await seen.editors.get("shapeinfer.model").resolveCustomEditor({ uri: model }, panel);
  assert.deepStrictEqual(panel.posted, [{ show: "value=%2Fh%231" }]);
  await go("y");
  assert.deepStrictEqual(panel.posted[1], { show: "value=y" });
  assert.strictEqual(panel.isRevealed, true);
  assert.strictEqual(executeCommand("other", [1], (name, given) => `${name} ${given}`), "other 1");
});
