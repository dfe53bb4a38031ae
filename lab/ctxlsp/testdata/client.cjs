// Talks to the language server with the library of VS Code's own clients, and prints what it shows as JSON:
// node client.cjs SERVER FILE
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const assert = require('node:assert');
const lsp = require('vscode-languageserver-protocol/node');

async function main([program, file]) {
  const server = spawn(program, ['--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => server.on('exit', resolve));
  const connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  connection.onError((e) => { throw e; });
  const published = [];
  const progress = [];
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (p) => published.push(p));
  connection.onNotification(lsp.ShowMessageNotification.type, () => {});
  connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, ({ token }) => {
    connection.onProgress(lsp.WorkDoneProgress.type, token, (value) => progress.push(value.kind));
  });
  connection.listen();

  const { capabilities } = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid, rootUri: null, workspaceFolders: [{ uri: pathToFileURL('.').href, name: 'here' }],
    capabilities: { window: { workDoneProgress: true }, textDocument: { documentSymbol: { hierarchicalDocumentSymbolSupport: true } } },
    initializationOptions: { lens: 'always', hover: 'always', hints: 1, symbols: true, folding: true, diagnostics: ['long-lines'], live: false },
  });
  assert.strictEqual(capabilities.positionEncoding, 'utf-16');
  await connection.sendNotification(lsp.InitializedNotification.type, {});

  const uri = pathToFileURL(file).href;
  const textDocument = { uri };
  const text = readFileSync(file, 'utf8');
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'markdown', version: 1, text } });
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: '# 😀 New\n' }],
  });
  const lenses = await connection.sendRequest(lsp.CodeLensRequest.type, { textDocument });
  const hover = await connection.sendRequest(lsp.HoverRequest.type, { textDocument, position: { line: 0, character: 5 } });
  const symbols = await connection.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument });
  const hints = await connection.sendRequest(lsp.InlayHintRequest.type, { textDocument, range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } } });
  const folds = await connection.sendRequest(lsp.FoldingRangeRequest.type, { textDocument });
  const counted = await connection.sendRequest(lsp.ExecuteCommandRequest.type, { command: 'ctxledger.server.countWorkspace' });

  await assert.rejects(connection.sendRequest('ctxledger/unknown'), (e) => e.code === -32601);
  await connection.sendNotification('$/unknown', {});
  while (published.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.strictEqual(published[0].uri, uri); // spelled as it was sent
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  console.log(JSON.stringify({
    lens: lenses[0].command.title, hover: hover.contents.value, symbol: symbols[0].name, hint: hints[0].label, folds: folds.length,
    files: counted.files, progress, diagnostic: published[0].diagnostics[0].code, status: await exited,
  }));
}

main(process.argv.slice(2)).catch((e) => { console.error(e); process.exit(1); });
