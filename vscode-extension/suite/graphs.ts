// Context graphs: snippets, the example, and the preview. What the preview shows is looked at in the page.
import * as assert from 'node:assert/strict';
import * as cp from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { all, root } from './project';
import { until, type Cases } from './run';

/** A document into which every snippet fits, and those that it is about to read. */
const around = '# Goal {id=goal}\n\nOne cent is missing.\n\n# Sources {id=sources}\n\n## Orders {id=orders}\n\nIn cents.\n\n# Steps\n\n';
const others = { 'notes.md': '# Rules {id=rules}\n\nCents are never rounded.\n', 'review.md': '@return\nprompt: It is fine.\n' };

export const graphs: Cases = {
  'what a snippet inserts has no error': async () => {
    const extension = vscode.extensions.getExtension('ctxledger.ctxledger')!;
    const names = Object.keys(JSON.parse(fs.readFileSync(path.join(extension.extensionPath, 'snippets/graph.json'), 'utf8')) as object);
    assert.ok(names.length >= 9, names.join());
    const folder = fs.mkdtempSync(path.join(root.fsPath, 'graph-'));
    for (const [name, text] of Object.entries(others)) {
      fs.writeFileSync(path.join(folder, name), text);
    }
    const document = await vscode.workspace.openTextDocument({ language: 'markdown' });
    const editor = await vscode.window.showTextDocument(document);
    const checks: Promise<string>[] = [];
    for (const name of names) {
      await editor.edit((edit) => edit.replace(all(editor), around));
      const end = document.positionAt(around.length);
      editor.selection = new vscode.Selection(end, end);
      await vscode.commands.executeCommand('editor.action.insertSnippet', { langId: 'markdown', name });
      const text = await until(name, () => (document.getText().length > around.length ? document.getText() : undefined));
      assert.equal(text.slice(0, around.length), around);
      checks.push(check(path.join(folder, `workflow-${checks.length}.md`), text));
    }
    assert.deepEqual((await Promise.all(checks)).filter((said) => said !== ''), []);
    await close();
    fs.rmSync(folder, { recursive: true });
  },
  'the example opens, and a preview beside it leaves the keys to it': async () => {
    await vscode.commands.executeCommand('ctxledger.openExample');
    const { document, selection } = vscode.window.activeTextEditor!;
    assert.equal(document.lineAt(selection.active.line).text, '@llm');
    await vscode.commands.executeCommand('ctxledger.previewPrompt');
    const preview = await until('the preview', tab);
    assert.deepEqual([preview.label, preview.group.viewColumn, vscode.window.activeTextEditor?.document], ['Prompt', 2, document]);
    await vscode.commands.executeCommand('ctxledger.openExample');
    assert.equal(vscode.window.activeTextEditor?.document, document, 'the example is there once');
    await vscode.window.tabGroups.close(preview);
    await close();
  },
  'a new context graph is an empty document': async () => {
    await vscode.commands.executeCommand('ctxledger.newGraph');
    const { document } = vscode.window.activeTextEditor!;
    assert.deepEqual([document.languageId, document.getText(), document.isUntitled], ['markdown', '', true]);
    await close();
  },
};

/** Checks a document. Returns it with what is said of it if there are errors. */
async function check(file: string, text: string): Promise<string> {
  fs.writeFileSync(file, text);
  return new Promise((resolve) => {
    cp.execFile('ctxledger', ['graph', 'check', file], { cwd: root.fsPath }, (error, stdout, stderr) => resolve(error === null ? '' : stdout + stderr + text));
  });
}

function tab(): vscode.Tab | undefined {
  const all = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
  return all.find(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('ctxledger.prompt'));
}

/** Closes the editor, which is asked about nothing. */
function close(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
}
