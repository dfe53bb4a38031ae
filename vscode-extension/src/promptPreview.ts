// The preview of what an operation of a context graph sends: its host in VS Code.
import * as path from 'node:path';
import * as vscode from 'vscode';
import { failureOf } from './failures';
import { couldBeGraph, isGraph, still } from './graphs';
import { promptPage } from './panel/page';
import { promptRequest, type Prompt, type PromptNews, type PromptWish, type TextRange } from './protocol';
import type { Server } from './server';
import { isExample, seen } from './walkthrough';
import { fill, inTime, troubleOf } from './webviews';

/** How many steps a workflow of the walkthrough has. */
const steps = 3;

/** Registers the command that shows the preview. */
export function registerPromptPreview(extension: vscode.Uri, server: Server): vscode.Disposable {
  const host = new PromptHost(extension, server);
  return vscode.Disposable.from(host, vscode.commands.registerCommand('ctxledger.previewPrompt', () => host.show()));
}

/** Shows one preview at most. It follows the cursor and the edits in the document that was looked at last that may be a context graph. */
class PromptHost implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly listeners: vscode.Disposable;
  private readonly lit = vscode.window.createTextEditorDecorationType({
    isWholeLine: true, backgroundColor: new vscode.ThemeColor('editor.selectionHighlightBackground'),
    borderColor: new vscode.ThemeColor('editorInfo.foreground'), borderStyle: 'solid', borderWidth: '0 0 0 3px',
    outlineColor: new vscode.ThemeColor('contrastActiveBorder'), outlineStyle: 'dashed', outlineWidth: '1px',
  });
  private editor: vscode.TextEditor | undefined; // that is followed
  private timer: NodeJS.Timeout | undefined;
  private late = new vscode.CancellationTokenSource(); // of what was asked last
  private shown: Prompt | undefined;
  private steps: readonly TextRange[] = []; // that send the block at the cursor
  private previewed = { text: '', lines: new Set<number>() }; // operations of a version of a document

  constructor(private readonly extension: vscode.Uri, private readonly server: Server) {
    const soon = (): void => this.soon();
    this.listeners = vscode.Disposable.from(
      this.lit,
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => { this.unlight(textEditor); soon(); }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document === this.editor?.document && soon()),
      vscode.workspace.onDidCloseTextDocument(soon),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('ctxledger') && soon()),
      server.onStatus(soon), // the model may be another one
      server.onChanged(soon), // or what was learnt of it
      server.onState(soon),
    );
    this.look();
  }

  /** Shows the preview beside its document, which keeps the keys. */
  async show(): Promise<void> {
    this.look();
    const document = this.editor?.document;
    if (document !== undefined && !vscode.window.visibleTextEditors.some((editor) => editor.document === document)) {
      await vscode.window.showTextDocument(document); // it is behind another tab
    }
    if (this.panel !== undefined) {
      this.panel.reveal(undefined, true);
      return;
    }
    const panel = vscode.window.createWebviewPanel('ctxledger.prompt', 'Prompt', { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
    this.panel = panel;
    panel.onDidDispose(() => { this.panel = undefined; this.late.cancel(); });
    panel.onDidChangeViewState(() => this.soon());
    panel.webview.onDidReceiveMessage((wish: PromptWish) => { void this.grant(wish); });
    fill(panel, this.extension, 'prompt.js', promptPage);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.late.cancel();
    this.listeners.dispose();
    this.panel?.dispose();
  }

  /** Finds the document that is followed. */
  private look(): void {
    const active = vscode.window.activeTextEditor;
    if (active !== undefined && couldBeGraph(active.document)) {
      this.editor = active;
    } else if (this.editor?.document.isClosed !== false) {
      this.editor = vscode.window.visibleTextEditors.find(({ document }) => couldBeGraph(document));
    }
  }

  private soon(): void {
    this.look();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), still);
  }

  /** Asks the server for a preview that is seen, and calls off what was asked before. */
  private async ask(): Promise<void> {
    this.late.cancel();
    if (this.panel?.visible !== true) {
      return;
    }
    const late = this.late = new vscode.CancellationTokenSource();
    const news = await this.news(late);
    if (late === this.late && news !== undefined) {
      this.shown = news.kind === 'prompt' ? news.prompt : undefined;
      await this.panel?.webview.postMessage(news);
      this.tick();
    }
  }

  /** Returns what the preview is to show; nothing while the server starts. */
  private async news(late: vscode.CancellationTokenSource): Promise<PromptNews | undefined> {
    const { state } = this.server;
    if (state.kind !== 'running') {
      return troubleOf(state);
    }
    if (!vscode.workspace.getConfiguration('ctxledger').get<boolean>('graphs', true)) {
      return { kind: 'none', why: 'off' };
    }
    if (this.editor === undefined) {
      return { kind: 'none', why: 'document' };
    }
    const { document, selection: { active: { line, character } } } = this.editor;
    const asked = { textDocument: { uri: document.uri.toString() }, position: { line, character } };
    try {
      const prompt = await inTime(late, (token) => this.server.request(promptRequest, asked, token));
      const steps = this.steps = prompt?.steps ?? [];
      return steps.length > 0 ? { kind: 'none', why: 'operation', steps: steps.map(({ start }) => start.line + 1) } : prompt === null ? { kind: 'none', why: await isGraph(this.server, document) ? 'operation' : 'document' }
        : { kind: 'prompt', prompt, name: path.posix.basename(document.uri.path) };
    } catch (error) {
      const { message, hint } = failureOf(error);
      return { kind: 'trouble', problem: message, hint };
    }
  }

  /** Ticks the steps of the walkthrough that are about what each step of a workflow sends, once each was shown. */
  private tick(): void {
    if (this.shown === undefined || this.editor === undefined) {
      return;
    }
    const { document } = this.editor;
    const text = `${document.version} ${document.uri.toString()}`;
    if (this.previewed.text !== text) {
      this.previewed = { text, lines: new Set() };
    }
    this.previewed.lines.add(this.shown.range.start.line);
    if (this.previewed.lines.size === steps) {
      seen(isExample(document) ? 'prompts' : 'workflow');
    }
  }

  /** Does what the preview asks for. */
  private async grant(wish: PromptWish): Promise<void> {
    switch (wish.kind) {
      case 'ready':
        return this.ask();
      case 'log':
        return this.server.showLog();
      case 'settings':
        return void vscode.commands.executeCommand('workbench.action.openSettings', '@id:ctxledger.graphs');
      case 'example':
        return void vscode.commands.executeCommand('ctxledger.openExample');
      case 'operation':
        return this.reveal(this.shown?.range, true);
      case 'step':
        return this.reveal(this.steps[wish.index], true);
      case 'message':
        return this.reveal(this.shown?.messages[wish.index]?.range, false);
    }
  }

  /** Shows a part of the document: goes there, or leaves the cursor, which says which operation is previewed, and marks it. */
  private async reveal(part: TextRange | undefined, go: boolean): Promise<void> {
    if (part === undefined || this.editor === undefined) {
      return;
    }
    const { document, viewColumn } = this.editor;
    const { start, end } = part;
    const whole = document.validateRange(new vscode.Range(start.line, start.character, end.line, end.character));
    const range = end.character > 0 || whole.isSingleLine ? whole : whole.with({ end: document.lineAt(whole.end.line - 1).range.end });
    const place = viewColumn ?? vscode.ViewColumn.One;
    const editor = await vscode.window.showTextDocument(document, { viewColumn: place, preserveFocus: !go });
    if (go) {
      editor.selection = new vscode.Selection(range.start, range.start);
    } else {
      editor.setDecorations(this.lit, [range]);
    }
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  private unlight(editor: vscode.TextEditor): void {
    editor.setDecorations(this.lit, []);
  }
}
