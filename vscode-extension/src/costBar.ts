import * as vscode from 'vscode';
import { costEntry } from './cost';
import { costRequest } from './protocol';
import type { Server } from './server';

/** How long the editor has to be still before the server is asked, in milliseconds. */
const still = 200;

/** The entry of the status bar about the file that is looked at: what it costs, and what reading it costs an agent. */
export class CostBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('ctxledger.cost', vscode.StatusBarAlignment.Right, 101);
  private readonly listeners: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(private readonly server: Server) {
    this.item.name = 'ctxledger: tokens of the file';
    this.item.command = 'ctxledger.costActions';
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.soon()),
      vscode.window.onDidChangeTextEditorSelection(() => this.soon()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document === vscode.window.activeTextEditor?.document && this.soon()),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('ctxledger') && this.soon()),
      server.onStatus(() => this.soon()), // the model may be another one
      server.onChanged(() => this.soon()), // or what was learnt of it
      server.onState(() => this.soon()),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
    this.item.dispose();
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), still);
  }

  /** Asks the server about the active editor. What it answers to an older question is dropped. */
  private async show(): Promise<void> {
    const question = ++this.asked;
    const editor = vscode.window.activeTextEditor;
    const shown = vscode.workspace.getConfiguration('ctxledger').get<string>('show') !== 'quiet';
    const known = editor !== undefined && ['file', 'untitled'].includes(editor.document.uri.scheme);
    if (!shown || !known || this.server.state.kind !== 'running') {
      this.item.hide();
      return;
    }
    const selections = editor.selections.filter(({ isEmpty }) => !isEmpty);
    const ranges = selections.map(({ start, end }) => ({
      start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character },
    }));
    try {
      const cost = await this.server.request(costRequest, { textDocument: { uri: editor.document.uri.toString() }, ranges });
      if (question === this.asked) {
        const { text, tooltip } = costEntry(cost, ranges.length > 0);
        this.item.text = `$(symbol-number) ${text}`;
        this.item.tooltip = tooltip;
        this.item.show();
      }
    } catch {
      this.item.hide(); // a document that the server does not have
    }
  }
}

/** What can be done about costs. */
const actions = [
  { label: 'Show What Fills the Context', command: 'ctxledger.showPanel' },
  { label: 'Show What Is Sent with Every Request', command: 'ctxledger.carried.focus' },
  { label: 'Count Tokens in Workspace', command: 'ctxledger.countWorkspace' },
  { label: 'Show Hints After the Names of Sections…', command: 'workbench.action.openSettings', argument: 'ctxledger.hints' },
  { label: 'Settings…', command: 'workbench.action.openSettings', argument: 'ctxledger' },
];

/** Offers what can be done about costs, and does it. */
export async function costActions(): Promise<void> {
  const chosen = await vscode.window.showQuickPick(actions, { title: 'ctxledger' });
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
  }
}
