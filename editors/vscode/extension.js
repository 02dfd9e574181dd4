// Starts `quipu lsp` for files of records, and restarts it when a setting changes.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;
// The last start or stop that was asked for. Each waits for the one before it, so that there is one server at most.
let last = Promise.resolve();

function next(step) {
  const done = last.then(step);
  // The step after one that failed is taken all the same.
  last = done.catch(() => {});
  return done;
}

async function start() {
  const settings = vscode.workspace.getConfiguration("quipu");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("quipu", "quipu", server, {
    documentSelector: [{ language: "quipu" }],
    initializationOptions: { language: settings.get("language"), publicUrl: settings.get("publicUrl") },
  });
  await client.start();
}

async function stop() {
  const stopped = client;
  client = undefined;
  // A client that could not start, or whose server has ended, cannot be stopped.
  if (stopped?.isRunning()) {
    await stopped.stop();
  }
}

async function activate(context) {
  const restart = async (event) => {
    if (event.affectsConfiguration("quipu")) {
      next(stop).catch(() => {});
      // The client shows the reason if it cannot start.
      await next(start).catch(() => {});
    }
  };
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(restart));
  await next(start);
}

function deactivate() {
  return next(stop);
}

module.exports = { activate, deactivate };
