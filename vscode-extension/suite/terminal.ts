// A coding agent in a terminal of this window, while another one works elsewhere.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { Agent, variable } from './agent';
import { begin } from './lifecycle';
import { lens, root } from './project';
import * as suite from './run';

const elsewhere = new Agent(root.fsPath);
const onlyRead = 'currency/currency_test.go'; // by the agent in the terminal
let terminal: vscode.Terminal;

const cases: suite.Cases = {
  'without a terminal the live session is shown': async () => {
    await vscode.window.showTextDocument(vscode.Uri.joinPath(root, 'currency/currency.go'));
    await lens('currency/currency.go', /read 3 times/);
  },
  'the session of an agent in a terminal is shown': async () => {
    await vscode.window.showTextDocument(vscode.Uri.joinPath(root, onlyRead));
    terminal = vscode.window.createTerminal({ shellPath: '/bin/sh' });
    terminal.show();
    terminal.sendText(`${variable('CTX_TEST_AGENT')} 'What is tested there?'`);
    await lens(onlyRead, /read once/);
  },
  'it goes before one that is newer, and after one that is chosen': async () => {
    elsewhere.read('cart/cart.go');
    await follow(path.basename(variable('CTX_TEST_SESSION'), '.jsonl'));
    await vscode.window.showTextDocument(vscode.Uri.joinPath(root, 'cart/cart.go'));
    await lens('cart/cart.go', /read twice/);
    await follow('');
    await lens(onlyRead, /read once/);
    terminal.dispose();
  },
};

/** Follows a session; '' is chosen by itself. */
function follow(session: string): Thenable<unknown> {
  return vscode.commands.executeCommand('ctxledger.server.follow', { session });
}

export const run = (): Promise<void> => suite.run({ ...begin, ...cases });
