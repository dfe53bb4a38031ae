import * as vscode from 'vscode';
import { diffRequest } from './protocol';
import { diffTitle, formOf, tabPath } from './records';
import type { Server } from './server';

/** The editor of VS Code that shows the preview of a Markdown document in a tab with the document's own name. */
const preview = 'vscode.markdown.preview.editor';

/** Opens a document: a change as a diff as far as its record has one, sessions, summaries and figures as previews, others as text. */
export async function openRecord(server: Server, uri: string, viewColumn = vscode.ViewColumn.Active, preserveFocus = false): Promise<void> {
  const document = vscode.Uri.parse(uri, true);
  const shown: vscode.TextDocumentShowOptions = { preview: true, viewColumn, preserveFocus };
  switch (formOf(uri)) {
    case 'diff': {
      const sides = await server.request(diffRequest, { uri }).catch(() => undefined); // the document says what is wrong
      if (sides !== undefined && sides.before !== '' && sides.after !== '') {
        const [before, after] = [sides.before, sides.after].map((side) => vscode.Uri.parse(side, true));
        await vscode.commands.executeCommand('vscode.diff', before, after, diffTitle(sides.after), shown);
        return;
      }
      break;
    }
    case 'preview':
      if (vscode.extensions.getExtension('vscode.markdown-language-features') !== undefined) {
        await vscode.commands.executeCommand('vscode.openWith', document.with({ path: tabPath(document.path) }), preview, shown);
        return;
      }
      break;
    case 'text':
  }
  await vscode.commands.executeCommand('vscode.open', document, shown);
}
