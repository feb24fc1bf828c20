// How the language server is started, and what it is told at the start. Knows nothing of VS Code: the test starts the server with it.
'use strict';

// The command line of the server.
function command(settings) {
  return { command: settings.path || 'wayproof', args: ['lsp'] };
}

// What the server is told: the options that docs/guide/use-in-an-editor.md lists.
function initialization(settings) {
  return { timeout: settings.timeout ?? 30, arguments: settings.arguments ?? [] };
}

module.exports = { command, initialization };
