// Starts the language server of shapeinfer, hands it texts and programs, and shows binary models.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { ModelEditors, ModelTexts, READ_ONLY, modelOf, textOf, typeOf } = require("./models.js");

/** @type {LanguageClient | undefined} */
let client;
/** @type {Promise<void>} */
let starting = Promise.resolve();
/** @type {vscode.Disposable[]} */
let watchers = [];
/** The pages that are open. */
const editors = new ModelEditors(ask);

const HELP = "pip install 'shapeinfer[lsp]', and name its command in the setting shapeinfer.command.";

function settings() {
  return vscode.workspace.getConfiguration("shapeinfer");
}

async function start() {
  const [command, ...args] = settings().get("command");
  client = new LanguageClient(
    "shapeinfer",
    "shapeinfer",
    { command, args },
    {
      // Programs too: the server answers for those that a model it knows was exported from.
      documentSelector: [{ language: "onnxtxt" }, { language: "python", scheme: "file" }],
      // Python rules that the workspace's configuration names run only where its user trusts it.
      initializationOptions: { trusted: vscode.workspace.isTrusted },
      // The way from a line to its nodes leads to the page in this window, not to one in a browser.
      middleware: {
        executeCommand: (name, given, next) =>
          name === "shapeinfer.showValue" ? editors.openAt(vscode.Uri.parse(given[0]), given[1]) : next(name, given),
      },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void explain(`shapeinfer: ${command} did not start (${error.message ?? error}). ${HELP}`);
    return;
  }
  void told(openModels)();
}

/** Show what failed until the user has seen it, beside the way to the setting. */
async function explain(message) {
  if (await vscode.window.showErrorMessage(message, "Open the Setting")) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "shapeinfer.command");
  }
}

async function stop() {
  const running = client;
  client = undefined;
  watchers.forEach((watcher) => watcher.dispose());
  watchers = [];
  await running?.stop();
}

function restart() {
  starting = starting.then(stop).then(start);
  return starting;
}

/** Ask the server to run one of its commands on a file. */
async function ask(command, uri) {
  await starting;
  if (!client) {
    await restart();
  }
  if (!client) {
    throw new Error(`the language server did not start. ${HELP}`);
  }
  return client.sendRequest("workspace/executeCommand", { command, arguments: [uri.toString()] });
}

/** Show the shapes of the models that the setting names in the programs that they were exported from. */
async function openModels() {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    for (const glob of settings().get("models") ?? []) {
      const pattern = new vscode.RelativePattern(folder, glob);
      const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, true, true);
      watcher.onDidCreate(openModel);
      watchers.push(watcher);
      for (const uri of await vscode.workspace.findFiles(pattern)) {
        await openModel(uri);
      }
    }
  }
}

async function openModel(uri) {
  const given = { command: "shapeinfer.openModel", arguments: [uri.toString()] };
  await client?.sendRequest("workspace/executeCommand", given);
}

async function pick() {
  const [file] = (await vscode.window.showOpenDialog({ filters: { "ONNX models": ["onnx"] } })) ?? [];
  return file;
}

/** The model that a command is about: the one it was called on, the one that is shown, or one that the user picks. */
async function chosen(uri) {
  const shown = uri ?? vscode.window.tabGroups?.activeTabGroup.activeTab?.input?.uri;
  if (shown?.scheme === READ_ONLY) {
    return modelOf(shown);
  }
  return shown && (uri || /\.onnx(te?xt)?$/.test(shown.path)) ? shown : pick();
}

async function check(uri) {
  const model = await chosen(uri);
  const found = model && (await ask("shapeinfer.checkModel", model));
  if (found) {
    client.outputChannel.appendLine(found);
    client.outputChannel.show(true);
  }
}

async function openText(uri) {
  const model = await chosen(uri);
  if (model) {
    const document = await vscode.workspace.openTextDocument(textOf(model));
    const nodes = new vscode.Position(firstNode(document), 0);
    const selection = new vscode.Range(nodes, nodes);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: false, selection });
  }
}

/** The line after the weights, which may be hundreds. */
function firstNode(document) {
  const found = /^[^\n<]*\{$/m.exec(document.getText());
  return found ? document.positionAt(found.index).line : 0;
}

async function openPage(uri) {
  const model = await chosen(uri);
  if (model) {
    await vscode.commands.executeCommand("vscode.openWith", model, typeOf(model), vscode.ViewColumn.Beside);
  }
}

async function showInProgram(uri) {
  const model = await chosen(uri);
  if (model) {
    await ask("shapeinfer.openModel", model);
  }
}

/** Run a command, and show why it failed where it does. */
function told(run) {
  return async (uri) => {
    try {
      await run(uri);
    } catch (error) {
      void vscode.window.showErrorMessage(`shapeinfer: ${error.message}`);
    }
  };
}

async function activate(context) {
  const webview = { webviewOptions: { retainContextWhenHidden: true } };
  context.subscriptions.push(
    vscode.commands.registerCommand("shapeinfer.check", told(check)),
    vscode.commands.registerCommand("shapeinfer.openText", told(openText)),
    vscode.commands.registerCommand("shapeinfer.openPage", told(openPage)),
    vscode.commands.registerCommand("shapeinfer.showInProgram", told(showInProgram)),
    vscode.commands.registerCommand("shapeinfer.restart", restart),
    vscode.workspace.registerTextDocumentContentProvider(READ_ONLY, new ModelTexts(ask)),
    vscode.window.registerCustomEditorProvider("shapeinfer.model", editors, webview),
    vscode.window.registerCustomEditorProvider("shapeinfer.page", editors, webview),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("shapeinfer") && restart()),
  );
  starting = start();
  await starting;
}

module.exports = { activate, deactivate: stop };
