import * as vscode from 'vscode';
import type { Server } from './server';

/** Registers the command that shows what fills the window of a session. */
export function registerPanel(_extension: vscode.Uri, server: Server): vscode.Disposable {
  return vscode.commands.registerCommand('ctxledger.showPanel', () => server.showLog());
}
