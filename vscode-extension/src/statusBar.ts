import * as vscode from 'vscode';
import type { Server } from './server';
import { changesIn, entryOf, othersOf, setWindowCommand, type Entry, type Limits } from './status';

/** The entries of the status bar: the session's share of its window, or what is wrong, and beside it what other sessions are live. */
export class StatusBar implements vscode.Disposable {
  private readonly session = item('ctxledger.status', 'ctxledger', 100);
  private readonly others = item('ctxledger.others', 'ctxledger: other sessions', 99);
  private readonly listeners: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.listeners = vscode.Disposable.from(
      server.onStatus(() => this.show()),
      server.onState(() => this.show()),
      vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration('ctxledger') && this.show()),
    );
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.dispose();
    this.session.dispose();
    this.others.dispose();
  }

  private show(): void {
    const now = Date.now();
    const { status } = this.server;
    put(this.session, entryOf(this.server.state, status, now, limits()));
    put(this.others, othersOf(this.server.state, status));
    clearTimeout(this.timer);
    if (status !== undefined && status.session !== '') {
      this.timer = setTimeout(() => this.show(), changesIn(status, now));
    }
  }
}

/** What is set. */
function limits(): Limits {
  const ours = vscode.workspace.getConfiguration('ctxledger');
  return { warnFrom: ours.get('warnFrom', 70), alarmFrom: ours.get('alarmFrom', 90), live: ours.get('live', true) };
}

function item(id: string, name: string, priority: number): vscode.StatusBarItem {
  const made = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Right, priority);
  made.name = name;
  return made;
}

function put(item: vscode.StatusBarItem, entry: Entry | undefined): void {
  if (entry === undefined) {
    item.hide();
    return;
  }
  item.text = entry.text;
  const tooltip = new vscode.MarkdownString(entry.tooltip, true); // with icons
  tooltip.isTrusted = { enabledCommands: [setWindowCommand] }; // which asks before it does anything
  item.tooltip = tooltip;
  item.accessibilityInformation = { label: entry.spoken };
  item.color = entry.colour === 'dim' ? new vscode.ThemeColor('disabledForeground') : undefined;
  item.backgroundColor = backgroundOf(entry.colour);
  item.command = entry.argument === undefined ? entry.command : { command: entry.command, title: '', arguments: [entry.argument] };
  item.show();
}

function backgroundOf(colour: Entry['colour']): vscode.ThemeColor | undefined {
  return colour === 'warning' || colour === 'error' ? new vscode.ThemeColor(`statusBarItem.${colour}Background`) : undefined;
}
