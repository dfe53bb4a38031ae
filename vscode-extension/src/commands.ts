import * as vscode from 'vscode';
import type { Server } from './server';

/** Registers what people can ask for. */
export function registerCommands(extension: vscode.Uri, server: Server): vscode.Disposable {
  const commands: Record<string, () => unknown> = {
    restartServer: () => server.restart(),
    showLog: () => server.showLog(),
    getPrograms: () =>
      vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(extension, 'media', 'programs.md')),
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`ctxledger.${name}`, run)),
  );
}
