// Context graphs among the documents of VS Code: the server says which ones are.
import * as vscode from 'vscode';
import { SemanticTokensRequest } from 'vscode-languageclient';
import type { Server } from './server';

/** How long the editor has to be still before the server is asked, in milliseconds. */
export const still = 200;

/** Reports whether a document could be a context graph. */
export function couldBeGraph({ uri, languageId }: vscode.TextDocument): boolean {
  return ['file', 'untitled'].includes(uri.scheme) && (languageId === 'markdown' || uri.path.endsWith('.ctx'));
}

/** Reports whether a document is a context graph: the server colours operations, and nothing in other documents. */
export async function isGraph(server: Server, { uri }: vscode.TextDocument): Promise<boolean> {
  try {
    const colours = await server.request(SemanticTokensRequest.type, { textDocument: { uri: uri.toString() } });
    return (colours?.data.length ?? 0) > 0;
  } catch {
    return false; // a server that ends, or an older one
  }
}

/** Tells VS Code which of the visible documents are context graphs: their titles have a button. */
export class GraphButtons implements vscode.Disposable {
  private readonly listeners: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(private readonly server: Server) {
    const soon = (): void => this.soon();
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeVisibleTextEditors(soon),
      vscode.workspace.onDidChangeTextDocument(({ document }) => couldBeGraph(document) && soon()),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('ctxledger.graphs') && soon()),
      server.onState(soon),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), still);
  }

  private async show(): Promise<void> {
    const question = ++this.asked;
    const documents = [...new Set(vscode.window.visibleTextEditors.map(({ document }) => document))].filter(couldBeGraph);
    const graphs = await Promise.all(documents.map((document) => isGraph(this.server, document)));
    if (question === this.asked) {
      const paths = documents.filter((_, i) => graphs[i]).map(({ uri }) => (uri.scheme === 'file' ? uri.fsPath : uri.path)); // as resourcePath
      await vscode.commands.executeCommand('setContext', 'ctxledger.graphs', paths);
    }
  }
}
