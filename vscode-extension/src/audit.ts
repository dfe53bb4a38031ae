import * as vscode from 'vscode';

/** Runs the audit of past sessions in a terminal, which stays when it is done. Returns nothing without the program. */
export function audit(program: string | undefined): Thenable<unknown> | undefined {
  if (program === undefined) {
    return undefined;
  }
  const scope = vscode.workspace.workspaceFolders?.[0] ?? vscode.TaskScope.Workspace;
  const run = new vscode.ProcessExecution(program, ['audit']);
  const task = new vscode.Task({ type: 'process' }, scope, 'audit', 'ctxledger', run);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, echo: false };
  return vscode.tasks.executeTask(task);
}
