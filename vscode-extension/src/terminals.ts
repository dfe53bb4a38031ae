import * as path from 'node:path';
import type * as vscode from 'vscode';

/** Puts a folder of programs last on PATH in terminals, so that one can run there what hints name; no folder, nothing. */
export function extendPath(variables: vscode.EnvironmentVariableCollection, folder: string | undefined): void {
  variables.clear();
  if (folder !== undefined) {
    variables.description = 'ctxledger can be run: the programs that came with the extension are on PATH, after all others.';
    variables.append('PATH', path.delimiter + folder);
  }
}
