import * as vscode from 'vscode';
import { symbolsNotification } from './protocol';
import type { Server } from './server';
import { toSend, wanted, type FoundSymbol } from './symbols';

/** How long the editor has to be still before its symbols are sent, in milliseconds. */
const still = 500;

/** How often symbols are looked for again if there are none: their extension may not have started. Each wait is longer. */
const tries = 4;

/**
 * Sends the symbols of visible documents to the server: VS Code has them of languages that the server does not parse.
 * VS Code keeps them for each version of a document, since the breadcrumbs need them, too.
 */
export class SymbolSender implements vscode.Disposable {
  private readonly listeners: vscode.Disposable;
  private readonly sent = new Map<string, number>(); // the version whose symbols the server has, by document
  private timer: NodeJS.Timeout | undefined;
  private vain = 0;

  constructor(private readonly server: Server) {
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(() => this.soon()),
      vscode.workspace.onDidChangeTextDocument(() => this.soon()),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri.toString())),
      server.onState(({ kind }) => {
        if (kind === 'running') { // a new one has none
          this.sent.clear();
          this.soon();
        }
      }),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
  }

  private forget(uri: string): void {
    this.sent.delete(uri);
    this.server.ownSymbols.forget(uri);
  }

  private soon(): void {
    this.vain = 0;
    this.later(still);
  }

  private later(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.send(), wait);
  }

  /** Sends the symbols of each visible document that has a new version. */
  private async send(): Promise<void> {
    const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    let vain = false;
    for (const document of documents) {
      if (wanted(document.uri.scheme, document.languageId) && this.sent.get(document.uri.toString()) !== document.version) {
        vain = !await this.sendOf(document) || vain;
      }
    }
    if (vain && ++this.vain < tries) {
      this.later(still * 4 ** this.vain);
    }
  }

  /** Sends the symbols of a document. Returns whether there were some, or the server has to drop those that it has. */
  private async sendOf(document: vscode.TextDocument): Promise<boolean> {
    const { version } = document;
    const uri = document.uri.toString();
    try {
      const found = await vscode.commands.executeCommand<FoundSymbol[] | undefined>('vscode.executeDocumentSymbolProvider', document.uri);
      if (document.isClosed || document.version !== version || this.server.state.kind !== 'running') {
        return true; // an event about that follows
      }
      const symbols = toSend(found ?? [], this.server.ownSymbols.of(uri));
      if (symbols.length === 0 && !this.sent.has(uri)) {
        return false;
      }
      await this.server.notify(symbolsNotification, { textDocument: { uri, version }, symbols });
      this.sent.set(uri, version);
    } catch {
      // An extension that fails, or a server that ends: there is a new attempt with the next event.
    }
    return true;
  }
}
