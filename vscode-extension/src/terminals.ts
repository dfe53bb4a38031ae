import * as path from 'node:path';
import type * as vscode from 'vscode';

/** Puts a folder of programs, if there is one, last on PATH in terminals: there one can run what hints name. */
export function extendPath(variables: vscode.EnvironmentVariableCollection, folder: string | undefined): void {
  variables.clear();
  if (folder !== undefined) {
    variables.description = 'Adds the programs of the extension to the end of PATH.';
    variables.append('PATH', path.delimiter + folder);
  }
}
