// Starts `quipu lsp` for files of records, and restarts it when a setting changes.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function start() {
  const settings = vscode.workspace.getConfiguration("quipu");
  const server = { command: settings.get("path"), args: ["lsp"] };
  client = new LanguageClient("quipu", "quipu", server, {
    documentSelector: [{ language: "quipu" }],
    initializationOptions: { language: settings.get("language"), publicUrl: settings.get("publicUrl") },
  });
  await client.start();
}

async function activate(context) {
  const restart = async (event) => {
    if (event.affectsConfiguration("quipu")) {
      await deactivate();
      await start();
    }
  };
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration(restart));
  await start();
}

async function deactivate() {
  await client?.stop();
  client = undefined;
}

module.exports = { activate, deactivate };
