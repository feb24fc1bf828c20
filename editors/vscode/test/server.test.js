// The server as the extension starts it, through the protocol library of vscode-languageclient. VS Code itself is not needed.
'use strict';

const test = require('node:test');
const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const protocol = require('vscode-languageserver-protocol/node');
const server = require('../server');
const manifest = require('../package.json');

const root = path.resolve(__dirname, '../../..');
const settings = { path: process.env.WAYPROOF ?? path.join(root, 'target/release/wayproof'), timeout: 20, arguments: ['--no-exec'] };

// A client that has done the handshake.
async function connect() {
  const { command, args } = server.command(settings);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(child.stdout),
    new protocol.StreamMessageWriter(child.stdin),
  );
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const diagnostics = [];
  const waiting = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (message) => {
    diagnostics.push(message);
    for (const look of waiting) look();
  });
  connection.onRequest(() => null);
  connection.listen();
  const started = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    initializationOptions: server.initialization(settings),
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  // The first list of diagnostics of a file that fits, of those that come after `known` others.
  const published = (uri, fits, known = 0) =>
    new Promise((resolve) => {
      const look = () => {
        const found = diagnostics.slice(known).find((message) => message.uri === uri && fits(message.diagnostics));
        if (found) resolve(found.diagnostics);
      };
      waiting.push(look);
      look();
    });
  const end = async () => {
    await connection.sendRequest(protocol.ShutdownRequest.type);
    await connection.sendNotification(protocol.ExitNotification.type);
    const code = await ended;
    connection.dispose();
    return code;
  };
  return { connection, started, diagnostics, published, end };
}

function open(connection, file) {
  const uri = pathToFileURL(file).href;
  const textDocument = { uri, languageId: 'c', version: 1, text: fs.readFileSync(file, 'utf8') };
  return connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument }).then(() => uri);
}

test('a file with an error gets a diagnostic, and none when it is repaired and saved', { timeout: 120000 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wayproof-'));
  const file = path.join(folder, 'price.c');
  const text = '#include <assert.h>\nint main(void) {\n  int price = 7;\n  assert(price == 8);\n  return 0;\n}\n';
  fs.writeFileSync(file, text);
  const client = await connect();
  try {
    const uri = await open(client.connection, file);
    const found = await client.published(uri, (list) => list.length > 0);
    const errors = found.filter((diagnostic) => diagnostic.severity === protocol.DiagnosticSeverity.Error);
    assert.strictEqual(errors.length, 1, JSON.stringify(found));
    assert.strictEqual(errors[0].range.start.line, 3);
    fs.writeFileSync(file, text.replace('7', '8'));
    const known = client.diagnostics.length;
    await client.connection.sendNotification(protocol.DidSaveTextDocumentNotification.type, { textDocument: { uri } });
    await client.published(uri, (list) => list.every((one) => one.severity !== protocol.DiagnosticSeverity.Error), known);
    assert.strictEqual(await client.end(), 0);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('invariants are inlay hints, and functions have a button', { timeout: 120000 }, async () => {
  const client = await connect();
  const uri = await open(client.connection, path.join(root, 'examples/door_lock.c'));
  await client.published(uri, () => true);
  const whole = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };
  let hints = [];
  for (let attempt = 0; attempt < 100 && hints.length === 0; attempt++) {
    hints = (await client.connection.sendRequest(protocol.InlayHintRequest.type, { textDocument: { uri }, range: whole })) ?? [];
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  assert.ok(hints.length > 0);
  const lenses = await client.connection.sendRequest(protocol.CodeLensRequest.type, { textDocument: { uri } });
  assert.ok(lenses.some((lens) => lens.command?.command === 'wayproof.checkFunction'), JSON.stringify(lenses));
  assert.strictEqual(await client.end(), 0);
});

test('the commands that the extension sends are commands of the server, and those of the editor are its own', async () => {
  const client = await connect();
  const offered = client.started.capabilities.executeCommandProvider.commands;
  const code = fs.readFileSync(path.join(__dirname, '../extension.js'), 'utf8');
  for (const [, name] of code.matchAll(/ask\('([^']+)'\)/g)) {
    assert.ok(offered.includes(name), name);
  }
  for (const { command } of manifest.contributes.commands) {
    assert.ok(code.includes(`'${command}'`), command);
    // A command of both would be registered twice: the client registers those of the server.
    assert.ok(!offered.includes(command), command);
  }
  assert.strictEqual(await client.end(), 0);
});
