import * as vscode from 'vscode';
import { badgesOf, type Badge } from './badges';
import { carriedRequest } from './protocol';
import type { Server } from './server';

/**
 * Marks the files in the explorer that agents load with every request. It asks a server that runs, once for all files
 * until a document is saved, or the ledger or the server's state changes, and nobody with `ctxledger.show` at `quiet`.
 */
export class BadgeProvider implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly listeners: vscode.Disposable;
  private known: Promise<Map<string, Badge>> | undefined;

  readonly onDidChangeFileDecorations = this.changes.event;

  constructor(private readonly server: Server) {
    this.listeners = vscode.Disposable.from(
      vscode.window.registerFileDecorationProvider(this),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => this.isMarked(uri) && this.refresh()),
      vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration('ctxledger.show') && this.refresh()),
      server.onChanged(() => void this.update()),
      server.onState(({ kind }) => kind !== 'starting' && this.refresh()),
    );
  }

  async provideFileDecoration(uri: vscode.Uri): Promise<vscode.FileDecoration | undefined> {
    if (uri.scheme !== 'file' || this.server.state.kind !== 'running' || isQuiet()) {
      return undefined;
    }
    this.known ??= this.ask();
    const badge = (await this.known).get(uri.fsPath);
    return badge && new vscode.FileDecoration(badge.text, badge.tooltip);
  }

  dispose(): void {
    this.listeners.dispose();
    this.changes.dispose();
  }

  /** Says whether the cost of a file may count: agents load texts and configurations. */
  private isMarked(uri: vscode.Uri): boolean {
    return /\.(md|mdc|json|toml|ya?ml)$/i.test(uri.path);
  }

  private refresh(): void {
    this.known = undefined;
    this.changes.fire(undefined);
  }

  /** Asks again, and shows what is another one by now: changes of the ledger are many, and those of badges few. */
  private async update(): Promise<void> {
    if (this.known === undefined || this.server.state.kind !== 'running' || isQuiet()) {
      return;
    }
    const before = await this.known;
    const now = await this.ask();
    if (JSON.stringify([...before]) !== JSON.stringify([...now])) {
      this.known = Promise.resolve(now);
      this.changes.fire(undefined);
    }
  }

  private async ask(): Promise<Map<string, Badge>> {
    try {
      const folders = vscode.workspace.workspaceFolders ?? [];
      const all = await Promise.all(folders.map(({ uri }) => this.server.request(carriedRequest, { folder: uri.toString() })));
      return new Map(all.flatMap((carried) => [...badgesOf(carried)]));
    } catch {
      return new Map(); // the view of every request says what is wrong
    }
  }
}

function isQuiet(): boolean {
  return vscode.workspace.getConfiguration('ctxledger').get('show') === 'quiet';
}
