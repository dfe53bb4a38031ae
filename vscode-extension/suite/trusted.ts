// In a workspace that is trusted, while an agent works in it.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Agent, servers } from './agent';
import * as suite from './run';
import { until } from './run';

const root = vscode.workspace.workspaceFolders![0]!.uri;
const agent = new Agent(root.fsPath);

export const run = (): Promise<void> =>
  suite.run({
    'the extension is activated, and starts one server': async () => {
      await until('the extension', () => vscode.extensions.getExtension('ctxledger.ctxledger')?.isActive || undefined);
      await until('a server', () => (servers().length === 1 ? true : undefined), servers);
    },
    'a file that the session read twice has a lens, in the same words as everywhere': async () => {
      const uri = await open('currency/currency.go');
      const title = await lens(uri, (text) => text.includes('read 3 times'));
      assert.match(title, /^≈?[\d,]+ tokens · .* fresh$/);
    },
    'what the agent reads meanwhile reaches the lens': async () => {
      const uri = await open('cart/cart.go');
      agent.ask('How does a cart add up?');
      agent.read('cart/cart.go');
      agent.read('cart/cart.go');
      await lens(uri, (text) => text.includes('read 3 times'));
    },
    'a server that is killed is started again': async () => {
      const before = servers();
      process.kill(before.at(-1)!, 'SIGKILL');
      await until('another server', () => (servers().length > before.length ? true : undefined), servers);
      await lens(await open('cart/cart.go'), (text) => text.includes('read 3 times'));
    },
  });

/** Opens a file of the project as a person does. */
async function open(name: string): Promise<vscode.Uri> {
  const uri = vscode.Uri.joinPath(root, name);
  await vscode.window.showTextDocument(uri);
  return uri;
}

/** Waits for a lens and returns its title. */
async function lens(uri: vscode.Uri, wanted: (title: string) => boolean): Promise<string> {
  const titles = async (): Promise<string[]> => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
    return lenses.map((found) => found.command?.title ?? '');
  };
  return until(`a lens of ${uri.fsPath}`, async () => (await titles()).find(wanted), titles);
}
