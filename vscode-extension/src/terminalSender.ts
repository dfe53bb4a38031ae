import * as vscode from 'vscode';
import { terminalsNotification, type Terminals } from './protocol';
import type { Server } from './server';

/** Tells the server which terminals this window has, so that the session of an agent in one of them is shown first. */
export class TerminalSender implements vscode.Disposable {
  private readonly listeners: vscode.Disposable;
  private readonly processes = new Map<vscode.Terminal, number>();
  private sent = '';

  constructor(private readonly server: Server) {
    this.listeners = vscode.Disposable.from(
      vscode.window.onDidOpenTerminal((terminal) => this.ask(terminal)),
      vscode.window.onDidCloseTerminal((terminal) => { this.processes.delete(terminal); this.send(); }),
      vscode.window.onDidChangeActiveTerminal(() => this.send()),
      server.onState(({ kind }) => {
        if (kind === 'running') { // a new one knows of none
          this.sent = '';
          this.send();
        }
      }),
    );
    vscode.window.terminals.forEach((terminal) => this.ask(terminal));
  }

  dispose(): void {
    this.listeners.dispose();
  }

  /** Asks a terminal for its process, which it has once it was shown. */
  private ask(terminal: vscode.Terminal): void {
    void terminal.processId.then((pid) => {
      if (pid !== undefined && vscode.window.terminals.includes(terminal)) {
        this.processes.set(terminal, pid);
        this.send();
      }
    });
  }

  /** Sends the terminals if they have changed. */
  private send(): void {
    const active = vscode.window.activeTerminal;
    const terminals: Terminals = {
      processes: [...this.processes.values()].sort((a, b) => a - b),
      active: (active && this.processes.get(active)) ?? 0,
    };
    const text = JSON.stringify(terminals);
    if (this.server.state.kind !== 'running' || text === this.sent || (this.sent === '' && terminals.processes.length === 0)) {
      return;
    }
    this.sent = text;
    this.server.notify(terminalsNotification, terminals).catch(() => { this.sent = ''; }); // it ends: the next one is told
  }
}
