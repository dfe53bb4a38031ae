import * as vscode from 'vscode';

/** Runs a program in a terminal, which stays when it is done. Returns nothing without the program. */
export function runInTerminal(program: string | undefined, folder: vscode.WorkspaceFolder | undefined, name: string,
  args: string[]): Thenable<unknown> | undefined {
  if (program === undefined) {
    return undefined;
  }
  const run = new vscode.ProcessExecution(program, args);
  const task = new vscode.Task({ type: 'process' }, folder ?? vscode.TaskScope.Workspace, name, 'ctxledger', run);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, echo: false };
  return vscode.tasks.executeTask(task);
}
