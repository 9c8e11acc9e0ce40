// Starts the language server of shapeinfer and hands it the texts of models.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("shapeinfer").get("command");
  client = new LanguageClient(
    "shapeinfer",
    "shapeinfer",
    { command, args },
    {
      documentSelector: [{ language: "onnxtxt" }],
      // Python rules that the workspace's configuration names run only where its user trusts it.
      initializationOptions: { trusted: vscode.workspace.isTrusted },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const help = "pip install 'shapeinfer[lsp]', and name its command in the setting shapeinfer.command.";
    void vscode.window.showErrorMessage(`shapeinfer: ${command} did not start (${error.message}). ${help}`);
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function check(uri) {
  const chosen = uri ?? (await pick());
  if (!chosen) {
    return;
  }
  if (!client) {
    await start();
  }
  const found = await client?.sendRequest("workspace/executeCommand", {
    command: "shapeinfer.checkModel",
    arguments: [chosen.toString()],
  });
  if (found) {
    client.outputChannel.appendLine(found);
    client.outputChannel.show(true);
  }
}

async function pick() {
  const [file] = (await vscode.window.showOpenDialog({ filters: { "ONNX models": ["onnx"] } })) ?? [];
  return file;
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("shapeinfer.check", check),
    vscode.commands.registerCommand("shapeinfer.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
