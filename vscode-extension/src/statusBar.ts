import * as vscode from 'vscode';
import type { Status } from './protocol';
import type { Server } from './server';
import { entryOf, type Entry } from './status';

/** The entry of the status bar: the live session's share of its window, or what is wrong. */
export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('ctxledger.status', vscode.StatusBarAlignment.Right, 100);
  private readonly listeners: vscode.Disposable;
  private status: Status | undefined;

  constructor(private readonly server: Server) {
    this.item.name = 'ctxledger';
    this.listeners = vscode.Disposable.from(
      server.onStatus((status) => this.show(status)),
      server.onState((state) => this.show(state.kind === 'running' ? this.status : undefined)),
    );
  }

  dispose(): void {
    this.listeners.dispose();
    this.item.dispose();
  }

  private show(status: Status | undefined): void {
    this.status = status;
    const entry = entryOf(this.server.state, status);
    if (entry === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = entry.text;
    this.item.tooltip = new vscode.MarkdownString(entry.tooltip);
    this.item.accessibilityInformation = { label: entry.spoken };
    this.item.backgroundColor = backgroundOf(entry.colour);
    this.item.command = entry.command;
    this.item.show();
  }
}

function backgroundOf(colour: Entry['colour']): vscode.ThemeColor | undefined {
  return colour === 'plain' ? undefined : new vscode.ThemeColor(`statusBarItem.${colour}Background`);
}
