// Pages of figures that somebody asked for: previews of Markdown, beside what is looked at.
import * as vscode from 'vscode';
import type { Figures } from './firstFigures';
import { openRecord } from './open';
import type { Server } from './server';

const scheme = 'ctxledger-figures';

/** Holds what each page says as long as VS Code runs. A page that is shown again says what is new. */
export class FigurePages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  readonly onDidChange = this.changes.event;

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.texts.get(path) ?? 'These figures are from before VS Code was started. Ask for them again.';
  }

  /** Shows a page beside what is looked at, if anything is, which keeps the keys. */
  async show(server: Server, { title, text }: Figures): Promise<void> {
    const uri = vscode.Uri.from({ scheme, path: `/${title}` });
    this.texts.set(uri.path, text);
    this.changes.fire(uri);
    const alone = vscode.window.tabGroups.activeTabGroup.tabs.length === 0;
    await openRecord(server, uri.toString(), alone ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside, true);
  }

  dispose(): void {
    vscode.Disposable.from(this.registered, this.changes).dispose();
  }
}
