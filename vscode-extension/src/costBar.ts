import * as vscode from 'vscode';
import { costEntry, costHead, type CostEntry } from './cost';
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

  /** Shows what the server answers about the active editor. What it answers to an older question is dropped. */
  private async show(): Promise<void> {
    const question = ++this.asked;
    const shown = vscode.workspace.getConfiguration('ctxledger').get<string>('show') !== 'quiet';
    const entry = shown ? await askCost(this.server) : undefined;
    if (question !== this.asked) {
      return;
    }
    if (entry === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = `$(symbol-number) ${entry.text}`;
    this.item.tooltip = entry.tooltip;
    this.item.show();
  }
}

/** Returns what the file in the active editor costs, or what is selected in it; nothing where the server has no such document. */
async function askCost(server: Server): Promise<CostEntry | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !['file', 'untitled'].includes(editor.document.uri.scheme) || server.state.kind !== 'running') {
    return undefined;
  }
  const selections = editor.selections.filter(({ isEmpty }) => !isEmpty);
  const ranges = selections.map(({ start, end }) => ({
    start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character },
  }));
  try {
    return costEntry(await server.request(costRequest, { textDocument: { uri: editor.document.uri.toString() }, ranges }), ranges.length > 0);
  } catch {
    return undefined;
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

/** Says what the file costs, offers what can be done about it, and does that. */
export async function costActions(server: Server): Promise<void> {
  const chosen = await vscode.window.showQuickPick(actions, costHead(await askCost(server)));
  if (chosen !== undefined) {
    await vscode.commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
  }
}
