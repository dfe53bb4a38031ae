// What the extension's webviews have in common.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Parts } from './panel/page';
import type { Trouble } from './protocol';
import type { ServerState } from './server';

/** How long the server may take to answer, in milliseconds. */
const patience = 20_000;

/** Gives a new webview its icon and its document, with one of the scripts in dist. */
export function fill(panel: vscode.WebviewPanel, extension: vscode.Uri, script: string, document: (parts: Parts) => string): void {
  const { webview } = panel;
  const own = (...path: string[]): vscode.Uri => vscode.Uri.joinPath(extension, ...path);
  panel.iconPath = { light: own('media', 'ledger.svg'), dark: own('media', 'ledger-dark.svg') };
  webview.options = { enableScripts: true, localResourceRoots: [own('dist'), own('media')] };
  webview.html = document({
    source: webview.cspSource, nonce: randomBytes(16).toString('hex'),
    script: webview.asWebviewUri(own('dist', script)).toString(),
    style: webview.asWebviewUri(own('media', 'panel.css')).toString(),
  });
}

/** Returns why a server does not run; nothing where it does, or starts. */
export function troubleOf(state: ServerState): Trouble | undefined {
  switch (state.kind) {
    case 'missing':
      return {
        kind: 'trouble', problem: 'The language server ctxlsp was not found.',
        hint: 'The command “ctxledger: How to Get the Programs” says how to get it.',
      };
    case 'failed':
      return {
        kind: 'trouble', problem: state.why,
        hint: 'The command “ctxledger: Restart Language Server” tries again.',
      };
    default:
      return undefined;
  }
}

/** Asks the server until it is called off, and no longer than patience lasts, also one that does not listen any more. */
export async function inTime<T>(late: vscode.CancellationTokenSource, ask: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    late.token.onCancellationRequested(() => reject(new Error('The language server is not responding.')));
  });
  const timer = setTimeout(() => late.cancel(), patience);
  try {
    return await Promise.race([ask(late.token), over]);
  } finally {
    clearTimeout(timer);
    late.dispose();
  }
}
