// The extension: starts `wayproof lsp` and lets vscode-languageclient show what it says.
'use strict';

const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');
const server = require('./server');

let client;

function settings() {
  const section = vscode.workspace.getConfiguration('wayproof');
  return { path: section.get('path'), timeout: section.get('timeout'), arguments: section.get('arguments') };
}

function create() {
  const { command, args } = server.command(settings());
  const run = { command, args, transport: TransportKind.stdio };
  return new LanguageClient('wayproof', 'Wayproof', run, {
    documentSelector: [{ scheme: 'file', language: 'c' }],
    initializationOptions: server.initialization(settings()),
  });
}

async function start() {
  client = create();
  try {
    await client.start();
  } catch (error) {
    const { command } = server.command(settings());
    vscode.window.showErrorMessage(`Wayproof: \`${command}\` cannot be started. Set wayproof.path. (${error.message ?? error})`);
  }
}

// Asks the server for something about the file that is shown.
function ask(command) {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== 'c' || !client) {
    return undefined;
  }
  const address = client.code2ProtocolConverter.asUri(editor.document.uri);
  return client.sendRequest('workspace/executeCommand', { command, arguments: [address] });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand('wayproof.checkFile', () => ask('wayproof.check')),
    vscode.commands.registerCommand('wayproof.cancelFile', () => ask('wayproof.cancel')),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('wayproof')) {
        await deactivate();
        await start();
      }
    }),
  );
  await start();
}

async function deactivate() {
  const ending = client;
  client = undefined;
  if (ending?.isRunning()) {
    await ending.stop();
  }
}

module.exports = { activate, deactivate };
