// Starts the language server of shapeinfer, hands it texts and programs, and shows binary models.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { ModelEditors, ModelTexts, READ_ONLY, modelOf, textOf } = require("./models.js");

/** @type {LanguageClient | undefined} */
let client;
/** @type {Promise<void>} */
let starting = Promise.resolve();

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
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void explain(`shapeinfer: ${command} did not start (${error.message ?? error}). ${HELP}`);
    return;
  }
  await openModels();
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
  for (const glob of settings().get("models") ?? []) {
    for (const uri of await vscode.workspace.findFiles(glob)) {
      await client?.sendRequest("workspace/executeCommand", {
        command: "shapeinfer.openModel",
        arguments: [uri.toString()],
      });
    }
  }
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
  return shown && (uri || shown.path.endsWith(".onnx")) ? shown : pick();
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
    const type = model.path.endsWith(".onnx") ? "shapeinfer.model" : "shapeinfer.page";
    await vscode.commands.executeCommand("vscode.openWith", model, type, vscode.ViewColumn.Beside);
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
  const editors = new ModelEditors(ask);
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
