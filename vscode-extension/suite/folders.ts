// Two folders in one window: an agent has worked in the second one.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { begin } from './lifecycle';
import * as suite from './run';

const [plain, shop] = vscode.workspace.workspaceFolders!.map(({ uri }) => uri) as [vscode.Uri, vscode.Uri];
const file = vscode.Uri.joinPath(shop, 'currency/currency.go');

const cases: suite.Cases = {
  'a file of the second folder has a lens of the session there': async () => {
    await vscode.window.showTextDocument(file);
    const lenses = async (): Promise<string[]> =>
      (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', file, 10)).map((lens) => lens.command?.title ?? '');
    await suite.until('a lens', async () => (await lenses()).find((title) => /read 3 times/.test(title)), lenses);
  },
  'commands are about the folder of the file that is looked at': async () => {
    await vscode.commands.executeCommand('ctxledger.copyForNewChat');
    assert.match(await vscode.env.clipboard.readText(), /Please get to know this shop first/);
    await vscode.env.clipboard.writeText('');
    await vscode.window.showTextDocument(vscode.Uri.joinPath(plain, 'notes.txt'));
    await vscode.commands.executeCommand('ctxledger.copyForNewChat'); // a message says that there is none
    assert.equal(await vscode.env.clipboard.readText(), '');
  },
};

export const run = (): Promise<void> => suite.run({ ...begin, ...cases });
