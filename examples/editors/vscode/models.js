// Binary models: as the page that `shapeinfer report` writes, and as text. What a model says is untrusted.
"use strict";

const vscode = require("vscode");

/** The scheme of the texts; the server offers no changes of them. */
const READ_ONLY = "shapeinfer";
const SUFFIX = ".onnxtxt";
/** A file that is being written changes many times. */
const SETTLED = 300;

/** The place of a model's text. */
function textOf(model) {
  return vscode.Uri.from({ scheme: READ_ONLY, authority: model.authority, path: model.path + SUFFIX });
}

/** The model of a text. */
function modelOf(text) {
  return vscode.Uri.from({ scheme: "file", authority: text.authority, path: text.path.slice(0, -SUFFIX.length) });
}

/** The editor that shows the page of a model. */
function typeOf(model) {
  return model.path.endsWith(".onnx") ? "shapeinfer.model" : "shapeinfer.page";
}

/** Call back whenever a file was written, until what is returned is disposed of. */
function watched(uri, changed) {
  const folder = vscode.Uri.joinPath(uri, "..");
  const name = uri.path.slice(uri.path.lastIndexOf("/") + 1).replace(/[[\]{}*?]/g, "?");
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
  let waiting;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, SETTLED);
  };
  watcher.onDidChange(soon);
  watcher.onDidCreate(soon);
  return {
    dispose: () => {
      clearTimeout(waiting);
      watcher.dispose();
    },
  };
}

/** Texts of models, read again when the files change. */
class ModelTexts {
  constructor(ask) {
    this.ask = ask;
    this.changes = new vscode.EventEmitter();
    this.onDidChange = this.changes.event;
    this.watchers = new Map();
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      this.watchers.get(uri.toString())?.dispose();
      this.watchers.delete(uri.toString());
    });
  }

  async provideTextDocumentContent(uri) {
    const key = uri.toString();
    if (!this.watchers.has(key)) {
      this.watchers.set(key, watched(modelOf(uri), () => this.changes.fire(uri)));
    }
    const { content, error } = await this.ask("shapeinfer.modelText", modelOf(uri));
    if (error) {
      void vscode.window.showErrorMessage(error);
    }
    return content || commented(error);
  }
}

/** Pages of models in webviews, which run no script but the page's own: its policy names it by its hash. */
class ModelEditors {
  constructor(ask) {
    this.ask = ask;
    /** The panels of each model that show its page, and where to go in those that do not yet. */
    this.panels = new Map();
    this.targets = new Map();
  }

  /** Open the page of a model where it computes a value. */
  async openAt(model, value) {
    const key = model.toString();
    const target = { show: `value=${encodeURIComponent(value)}` };
    const panel = this.panels.get(key);
    if (panel) {
      panel.reveal();
      void panel.webview.postMessage(target);
    } else {
      this.targets.set(key, target);
      await vscode.commands.executeCommand("vscode.openWith", model, typeOf(model), vscode.ViewColumn.Beside);
    }
  }

  openCustomDocument(uri) {
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }, panel) {
    panel.webview.options = { enableScripts: true, enableCommandUris: false, enableForms: false, localResourceRoots: [] };
    panel.webview.html = notice("Inferring the shapes of the model ...");
    const key = uri.toString();
    const show = async () => {
      try {
        const { content, error } = await this.ask("shapeinfer.modelPage", uri);
        panel.webview.html = content ? fitted(content) : notice(error);
        this.panels.set(key, panel);
        if (this.targets.has(key)) {
          // Not awaited: the page takes it once it is shown, and it is shown once this is over.
          void panel.webview.postMessage(this.targets.get(key));
          this.targets.delete(key);
        }
      } catch (error) {
        panel.webview.html = notice(error.message);
      }
    };
    const watcher = watched(uri, show);
    panel.onDidDispose(() => {
      watcher.dispose();
      if (this.panels.get(key) === panel) {
        this.panels.delete(key);
      }
    });
    await show();
  }
}

/** A page in the colours of the window, to its edges. */
function fitted(page) {
  const { Dark, HighContrast } = vscode.ColorThemeKind;
  const theme = [Dark, HighContrast].includes(vscode.window.activeColorTheme.kind) ? "dark" : "light";
  return page
    .replace('<html lang="en">', `<html lang="en" data-theme="${theme}">`)
    .replace("</head>", "<style>body { padding: 0; }</style></head>");
}

/** Text as a page that runs nothing. */
function notice(text) {
  const escaped = text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const policy = `default-src 'none'; style-src 'unsafe-inline'`;
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<style>pre { white-space: pre-wrap; }</style></head><body><pre>${escaped}</pre></body></html>`
  );
}

function commented(text) {
  return text.replace(/^/gm, "# ");
}

module.exports = { ModelEditors, ModelTexts, READ_ONLY, modelOf, textOf, typeOf };
