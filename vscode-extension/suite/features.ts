// What there is for any file, as VS Code's own features ask for it.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { all, lens, open, root } from './project';
import { until, type Cases } from './run';

const tokens = /^≈[\d,]+ tokens/;

export const features: Cases = {
  'a heading says on hover what its section costs': async () => {
    const { document } = await open('README.md');
    const ask = (): Thenable<vscode.Hover[]> =>
      vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, new vscode.Position(0, 3));
    const text = await until('a hover', async () => {
      const parts = (await ask()).flatMap((hover) => hover.contents).map((part) => (typeof part === 'string' ? part : part.value));
      return parts.find((part) => part.includes('tokens'));
    });
    assert.match(text, /counted on its own/);
  },
  'sections say what they cost where they begin': async () => {
    const editor = await open('order/order.go');
    const hints = await until('hints', async () => some(await vscode.commands.executeCommand<vscode.InlayHint[]>(
      'vscode.executeInlayHintProvider', editor.document.uri, all(editor),
    )));
    assert.ok(hints.every((hint) => typeof hint.label === 'string' && tokens.test(hint.label.trim())), JSON.stringify(hints));
  },
  'the outline has the declarations with their costs': async () => {
    const { document } = await open('cart/cart.go');
    const symbols = await until('symbols', async () => some(await vscode.commands.executeCommand<vscode.DocumentSymbol[]>(
      'vscode.executeDocumentSymbolProvider', document.uri,
    )));
    assert.ok(symbols.some((symbol) => symbol.name === 'Cart' && /^≈\d+$/.test(symbol.detail)), symbols.map(({ name, detail }) => `${name}: ${detail}`).join());
  },
  'sections of other languages are the symbols that VS Code has': async () => {
    fs.writeFileSync(path.join(root.fsPath, 'prices.py'), 'total = 1999 + 2099 + 2199\n'.repeat(40)); // without blocks
    const { document } = await open('prices.py');
    const provider = vscode.languages.registerDocumentSymbolProvider({ language: document.languageId, pattern: '**/prices.py' }, {
      provideDocumentSymbols: (found) => { // an extension for the language: everything from the first total on is one declaration
        const at = found.positionAt(found.getText().indexOf('total'));
        const name = new vscode.Range(at, at.translate(0, 5));
        return [new vscode.DocumentSymbol('total', '', vscode.SymbolKind.Function, name.union(new vscode.Range(at, found.lineAt(found.lineCount - 1).range.end)), name)];
      },
    });
    const hinted = (line: number): Promise<vscode.InlayHint> => until(`a hint in line ${line}`, async () => {
      const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', document.uri, document.validateRange(new vscode.Range(0, 0, 99, 0)));
      return hints.length === 1 && hints[0]!.position.line === line ? hints[0] : undefined;
    });
    const outline = async (): Promise<string[]> =>
      (await vscode.commands.executeCommand<vscode.DocumentSymbol[]>('vscode.executeDocumentSymbolProvider', document.uri)).map(({ name, detail }) => `${name} ${detail}`);
    assert.match(String((await hinted(0)).label).trim(), tokens);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'import shop\n');
    await vscode.workspace.applyEdit(edit);
    await hinted(1);
    const [theirs, ours] = (await until('the outline', async () => { const found = await outline(); return found.length === 2 ? found.sort() : undefined; }, outline));
    assert.deepEqual([theirs, /^total ≈\d+$/.test(ours!)], ['total ', true]);
    provider.dispose();
  },
  'sections can be folded': async () => {
    const { document } = await open('cart/cart.go');
    const folds = await vscode.commands.executeCommand<vscode.FoldingRange[]>('vscode.executeFoldingRangeProvider', document.uri);
    const line = document.getText().split('\n').findIndex((text) => text.startsWith('func '));
    assert.ok(folds.some(({ start, end }) => start > 0 && start <= line && line < end), JSON.stringify(folds));
  },
  'a very long line is found': async () => {
    fs.writeFileSync(path.join(root.fsPath, 'prices.txt'), `${'1999 '.repeat(1000)}\n`);
    const { document } = await open('prices.txt');
    const ours = (): vscode.Diagnostic[] =>
      vscode.languages.getDiagnostics(document.uri).filter((found) => found.source === 'ctxledger');
    const [found] = await until('a diagnostic', () => some(ours()), () => vscode.languages.getDiagnostics(document.uri));
    assert.deepEqual([codeOf(found!), found!.range.start.line], ['long-lines', 0]);
  },
  'a configuration is checked, explained and completed': async () => {
    fs.writeFileSync(path.join(root.fsPath, 'ctxledger.yaml'), 'context:\n  treshold: 0.5\n');
    const { document } = await open('ctxledger.yaml');
    const ours = (): vscode.Diagnostic[] =>
      vscode.languages.getDiagnostics(document.uri).filter((found) => found.source === 'ctxledger');
    const [found] = await until('a diagnostic', () => some(ours()), () => vscode.languages.getDiagnostics(document.uri));
    assert.match(found!.message, /did you mean threshold\?/);
    assert.deepEqual([found!.range.start.line, found!.range.start.character, found!.range.end.character], [1, 2, 10]);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, new vscode.Position(0, 3));
    const said = hovers.flatMap((hover) => hover.contents).map((part) => (typeof part === 'string' ? part : part.value)).join();
    assert.match(said, /how much of a conversation a model sees/);
    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider', document.uri, new vscode.Position(1, 4),
    );
    assert.ok(items.some(({ label }) => label === 'threshold'), items.map(({ label }) => JSON.stringify(label)).join());
    fs.rmSync(path.join(root.fsPath, 'ctxledger.yaml'));
  },
  'a file that agents load says what it costs, links its imports and says what is wrong': async () => {
    const file = path.join(root.fsPath, 'CLAUDE.md');
    const before = fs.readFileSync(file);
    fs.writeFileSync(file, '# Shop\nSee @README.md and @docs/gone.md\n');
    const { document } = await open('CLAUDE.md');
    await lens('CLAUDE.md', /^Claude Code: (≈)?[\d,]+ tokens in every request$/);
    const links = await until('a link', async () => some(await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      'vscode.executeLinkProvider', document.uri,
    )));
    assert.ok(links.some(({ target, tooltip }) => target?.path.endsWith('/README.md') === true && /in every request/.test(tooltip ?? '')), JSON.stringify(links));
    const ours = (): vscode.Diagnostic[] => vscode.languages.getDiagnostics(document.uri).filter((found) => codeOf(found) === 'missing-import');
    const [found] = await until('a diagnostic', () => some(ours()), () => vscode.languages.getDiagnostics(document.uri));
    assert.match(found!.message, /there is no file docs\/gone\.md/);
    fs.writeFileSync(file, before);
  },
  'a context graph says what each step sends, and its blocks can be followed and renamed': async () => {
    const text = '# Goal {id=goal}\n\nFind why the totals differ.\n\n@llm\nprompt: Say.\nblock: [goal, gaol]\n';
    fs.writeFileSync(path.join(root.fsPath, 'plan.md'), text);
    const { document } = await open('plan.md');
    const place = document.positionAt(text.indexOf('[goal') + 2);
    assert.match(await lens('plan.md', /goal, \?gaol/), /^≈\d+ tokens · /);
    const [found] = await until('a finding', () => some(vscode.languages.getDiagnostics(document.uri).filter((one) => codeOf(one) === 'CG305')));
    assert.equal((found!.code as { target: vscode.Uri }).target.scheme, 'ctxledger');
    const explained = await vscode.workspace.openTextDocument((found!.code as { target: vscode.Uri }).target);
    assert.match(explained.getText(), /^# CG305\n/);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', document.uri, document.positionAt(text.indexOf('@llm') + 1));
    const said = hovers.flatMap(({ contents }) => contents).map((part) => (typeof part === 'string' ? part : part.value)).join('\n');
    assert.match(said, /@llm sends ≈\d+ tokens[^]*--- user: prompt/);
    const [heading] = await vscode.commands.executeCommand<vscode.Location[]>('vscode.executeDefinitionProvider', document.uri, place);
    assert.equal(heading!.range.start.line, 0);
    const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit>('vscode.executeDocumentRenameProvider', document.uri, place, 'aim');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.equal(document.getText(), text.replace('{id=goal}', '{id=aim}').replace('[goal', '[aim'));
    await document.save();
  },
  'what is selected can be counted': async () => {
    const editor = await open('cart/cart.go');
    editor.selection = new vscode.Selection(0, 0, 5, 0);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider', editor.document.uri, editor.selection,
    );
    assert.ok(actions.some(({ title }) => /^selection: ≈[\d,]+ tokens/.test(title)), JSON.stringify(actions));
    await vscode.commands.executeCommand('ctxledger.countSelection');
  },
  'the workspace can be counted': async () => {
    const files = await vscode.workspace.findFiles('**/*.go');
    const counted = await vscode.commands.executeCommand<{ files: number; tokens: number; failed: number }>('ctxledger.server.countWorkspace', {});
    assert.ok(counted.files > files.length && counted.tokens > 1000 && counted.failed === 0, JSON.stringify(counted));
  },
};

function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function codeOf({ code }: vscode.Diagnostic): unknown {
  return typeof code === 'object' ? code.value : code;
}
