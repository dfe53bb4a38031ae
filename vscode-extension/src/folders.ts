// Which folder of a window is meant: that of the file that is looked at.
import * as vscode from 'vscode';

/** The folder that is looked at. It stays while no file of a folder is. */
export class Folders implements vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable;
  private seen: vscode.WorkspaceFolder | undefined;

  /** Another folder is looked at. */
  readonly onDidChange = this.changes.event;

  constructor() {
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.look()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.look()),
    );
    this.seen = this.find();
  }

  /** Nothing when no folder is open. */
  get current(): vscode.WorkspaceFolder | undefined {
    return this.seen;
  }

  /** Whether the folder has to be said: there are several. */
  get several(): boolean {
    return (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
  }

  dispose(): void {
    this.listeners.dispose();
    this.changes.dispose();
  }

  private look(): void {
    const before = this.seen?.uri.toString();
    this.seen = this.find();
    if (this.seen?.uri.toString() !== before) {
      this.changes.fire();
    }
  }

  private find(): vscode.WorkspaceFolder | undefined {
    const { workspaceFolders: all = [] } = vscode.workspace;
    const active = vscode.window.activeTextEditor;
    const own = active && vscode.workspace.getWorkspaceFolder(active.document.uri);
    return own ?? all.find(({ uri }) => uri.toString() === this.seen?.uri.toString()) ?? all[0];
  }
}
