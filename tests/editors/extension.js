// The extension of VS Code with a VS Code and a client that count servers: `node extension.js EXTENSION`.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");

const settings = { path: "quipu", language: "", publicUrl: "" };
let listener;
const vscode = {
  workspace: {
    getConfiguration: () => ({ get: (name) => settings[name] }),
    onDidChangeConfiguration: (called) => {
      listener = called;
      return { dispose() {} };
    },
  },
};

// As the client of the library: it runs some time after it was started, and cannot be stopped before.
const clients = [];
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(this, { server, options, state: "new" });
    clients.push(this);
  }
  isRunning() {
    return this.state === "running";
  }
  async start() {
    const living = clients.filter((client) => client.state === "starting" || client.isRunning());
    assert.deepEqual(living, [], "one server at a time");
    this.state = "starting";
    await new Promise((done) => setTimeout(done, 5));
    if (this.server.command === "missing") {
      this.state = "failed";
      throw new Error("the server cannot be started");
    }
    this.state = "running";
  }
  async stop() {
    assert.equal(this.state, "running", "a client that does not run cannot be stopped");
    await new Promise((done) => setTimeout(done, 5));
    this.state = "stopped";
  }
}

const load = Module._load;
Module._load = (name, ...more) =>
  ({ vscode, "vscode-languageclient/node": { LanguageClient } })[name] ?? load(name, ...more);

async function change(name, value) {
  settings[name] = value;
  await listener({ affectsConfiguration: (section) => section === "quipu" });
}

async function main() {
  const extension = require(process.argv[2]);
  const running = () => clients.filter((client) => client.isRunning());
  await extension.activate({ subscriptions: [] });
  assert.equal(running().length, 1);

  // Several changes, before the first of them has had its effect.
  await Promise.all([change("language", "es"), change("language", "en"), change("publicUrl", "https://x.example")]);
  assert.equal(running().length, 1);
  assert.deepEqual(running()[0].options.initializationOptions, { language: "en", publicUrl: "https://x.example" });

  await change("path", "missing");
  assert.equal(running().length, 0);
  await change("path", "quipu");
  assert.equal(running().length, 1, "a start that failed keeps no other from its turn");

  // The end of the server itself, and one of the extension while it restarts.
  running()[0].state = "stopped";
  await change("language", "");
  assert.equal(running().length, 1);
  const restarted = change("language", "es");
  await Promise.all([restarted, extension.deactivate()]);
  assert.equal(running().length, 0);
}

main();
