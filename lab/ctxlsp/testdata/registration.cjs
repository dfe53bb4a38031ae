// Changes the settings of the language server while it runs, with the library of VS Code's own clients, and prints what
// it registers, as JSON: node registration.cjs SERVER
const { spawn } = require('node:child_process');
const assert = require('node:assert');
const lsp = require('vscode-languageserver-protocol/node');

const names = ['codeLens', 'hover', 'inlayHint', 'documentSymbol', 'foldingRange', 'codeAction', 'diagnostic'];

async function main([program]) {
  const server = spawn(program, ['--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => server.on('exit', resolve));
  const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  connection.onError((e) => { throw e; });
  let settings = { lens: 'off', hover: 'off', agentFiles: false, graphs: false, live: false };
  const registered = new Map();
  let changed = () => {};
  connection.onRequest(lsp.ConfigurationRequest.type, ({ items }) => items.map(({ section }) => (section === 'ctxledger' ? settings : null)));
  connection.onRequest(lsp.RegistrationRequest.type, ({ registrations }) => {
    for (const { id, method, registerOptions } of registrations) {
      assert(!registered.has(id), `${method} is registered twice`);
      assert.strictEqual(registerOptions.documentSelector, null);
      registered.set(id, method);
    }
    changed();
  });
  connection.onRequest(lsp.UnregistrationRequest.type, ({ unregisterations }) => {
    for (const { id, method } of unregisterations) {
      assert.strictEqual(registered.get(id), method);
      registered.delete(id);
    }
    changed();
  });
  connection.listen();

  const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid, rootUri: null, workspaceFolders: null,
    capabilities: {
      workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
      textDocument: Object.fromEntries(names.map((name) => [name, { dynamicRegistration: true }])),
    },
  });
  const offered = names.filter((name) => `${name}Provider` in capabilities);
  await connection.sendNotification(lsp.InitializedNotification.type, {});

  const seen = [];
  const become = async (next, count) => {
    settings = next;
    await connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings: null });
    while (registered.size !== count) await new Promise((resolve) => { changed = resolve; });
    seen.push([...registered.values()].map((method) => method.replace('textDocument/', '')).sort().join(' '));
  };
  const all = { lens: 'always', hover: 'always', hints: 1, symbols: true, folding: true, countSelection: true, diagnostics: ['long-lines'], live: false };
  await become(all, 7);
  await become({ ...all, hints: 0, diagnostics: [] }, 5);
  await become({ lens: 'off', hover: 'off', agentFiles: false, graphs: false, live: false }, 0);
  await become(all, 7);
  const textDocument = { uri: 'untitled:a', languageId: 'markdown', version: 1, text: '# A\nsome words\n' };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
  const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });

  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  console.log(JSON.stringify({ offered, seen, lens: lenses[0].command.title, status: await exited }));
}

main(process.argv.slice(2)).catch((e) => { console.error(e); process.exit(1); });
