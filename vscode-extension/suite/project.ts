// The project in which the suites work, and what VS Code shows of it.
import * as cp from 'node:child_process';
import * as vscode from 'vscode';
import { until } from './run';

/** The folder of the project. */
export const root = vscode.workspace.workspaceFolders![0]!.uri;

/** Opens a file of the project as a person does. */
export async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.joinPath(root, name));
}

/** Returns the range of a whole document. */
export function all({ document }: vscode.TextEditor): vscode.Range {
  return document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
}

/** Returns the titles of the lenses of a file. */
export async function lenses(name: string): Promise<string[]> {
  const uri = vscode.Uri.joinPath(root, name);
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
  return found.map((lens) => lens.command?.title ?? '');
}

/** Waits for a lens of a file and returns its title. */
export function lens(name: string, wanted: RegExp): Promise<string> {
  return until(`${wanted} above ${name}`, async () => (await lenses(name)).find((title) => wanted.test(title)), () => lenses(name));
}

/** Sets a setting of ctxledger; undefined is its default. */
export function set(name: string, value: unknown): Thenable<void> {
  return vscode.workspace.getConfiguration('ctxledger').update(name, value, vscode.ConfigurationTarget.Global);
}

/** Returns what a command of ctxledger answers. */
export function ledger<T>(...args: string[]): T {
  return JSON.parse(cp.execFileSync('ctxledger', [...args, '--json'], { cwd: root.fsPath, encoding: 'utf8' })) as T;
}
