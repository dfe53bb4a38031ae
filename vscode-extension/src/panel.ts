// The panel of what fills the window: its host in VS Code.
import * as vscode from 'vscode';
import { failureOf } from './failures';
import { openRecord } from './open';
import { panelPage } from './panel/page';
import { askedOf, fileUri, summaryUri } from './panel/places';
import { contextRequest, type Asked, type Node, type PanelNews, type PanelWish, type Source } from './protocol';
import type { Server } from './server';
import { setWindowCommand } from './status';
import { seen } from './walkthrough';
import { fill, inTime, troubleOf } from './webviews';

const viewType = 'ctxledger.panel';

/** Registers the command that shows the panel, and what brings it back after a restart of VS Code. */
export function registerPanel(extension: vscode.Uri, server: Server): vscode.Disposable {
  const host = new PanelHost(extension, server);
  return vscode.Disposable.from(
    host,
    vscode.commands.registerCommand('ctxledger.showPanel', (node?: Node) => host.show(node?.handle ?? '')),
    vscode.window.registerWebviewPanelSerializer(viewType, {
      deserializeWebviewPanel: async (panel, memory: unknown) => host.adopt(panel, askedOf(memory)),
    }),
  );
}

/** Returns where a new panel opens: beside a page of VS Code, such as the walkthrough that asks for it, else in front of the file that is looked at. */
function besideGuides(): vscode.ViewColumn {
  const { activeTab } = vscode.window.tabGroups.activeTabGroup;
  return activeTab !== undefined && activeTab.input === undefined ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
}

/** Shows one panel at most, and keeps it up to date while it can be seen. */
class PanelHost implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly listeners: vscode.Disposable;
  private asking = false;
  private stale = true; // something may have changed since the server was asked
  private asked: Asked = { session: '', folder: '' };
  private session = ''; // that is shown
  private wanted = false; // somebody asked for the panel, and has seen no session in it since
  private sources: readonly Source[] = []; // that are shown

  constructor(private readonly extension: vscode.Uri, private readonly server: Server) {
    this.listeners = vscode.Disposable.from(
      server.onStatus(() => this.refresh()),
      server.onChanged(() => this.refresh()),
      server.onState(() => this.refresh()),
    );
  }

  /** Shows a session of the folder that is looked at; '' is the live one, else the newest. */
  show(session: string): void {
    this.wanted = true;
    const asked = { session, folder: session === '' ? '' : this.server.folder };
    if (this.panel === undefined) {
      this.adopt(vscode.window.createWebviewPanel(viewType, 'Context', besideGuides()), asked);
      return;
    }
    this.asked = asked;
    this.panel.reveal();
    this.refresh();
  }

  /** Fills a panel that is new, or that VS Code brought back. */
  adopt(panel: vscode.WebviewPanel, asked: Asked): void {
    this.panel?.dispose();
    this.panel = panel;
    this.asked = asked;
    panel.onDidDispose(() => { this.panel = this.panel === panel ? undefined : this.panel; });
    panel.onDidChangeViewState(() => { void this.ask(); });
    panel.webview.onDidReceiveMessage((wish: PanelWish) => { void this.grant(wish); });
    fill(panel, this.extension, 'panel.js', panelPage);
  }

  dispose(): void {
    this.listeners.dispose();
    this.panel?.dispose();
  }

  private refresh(): void {
    this.stale = true;
    void this.ask();
  }

  /** Asks the server as long as something may have changed, once at a time, and only for a panel that is seen. */
  private async ask(): Promise<void> {
    if (this.asking) {
      return;
    }
    this.asking = true;
    try {
      while (this.stale && this.panel?.visible === true) {
        this.stale = false;
        const news = await this.news();
        if (news !== undefined) {
          await this.panel?.webview.postMessage(news);
          if (this.wanted && news.kind === 'context' && news.context.session !== '') {
            this.wanted = false;
            seen('panel');
          }
        }
      }
    } finally {
      this.asking = false;
    }
  }

  /** Returns what the panel is to show; nothing while the server starts. */
  private async news(): Promise<PanelNews | undefined> {
    const { state } = this.server;
    if (state.kind !== 'running') {
      return troubleOf(state);
    }
    if (this.server.folder === '') {
      return { kind: 'nowhere' };
    }
    try {
      return await this.context(this.asked);
    } catch (error) {
      const { message, hint } = failureOf(error);
      return { kind: 'trouble', problem: message, hint };
    }
  }

  /** Asks for a session. */
  private async context(asked: Asked): Promise<PanelNews> {
    const context = await inTime(new vscode.CancellationTokenSource(), (token) => this.server.request(contextRequest, named(asked), token));
    this.sources = context.sources;
    this.session = context.session;
    return { kind: 'context', context, asked };
  }

  /** Does what the panel asks for, of the session that it shows. */
  private async grant(wish: PanelWish): Promise<void> {
    const shown = { ...named(this.asked), handle: this.session };
    switch (wish.kind) {
      case 'ready':
        return this.refresh();
      case 'log':
        return this.server.showLog();
      case 'handoff':
        return void vscode.commands.executeCommand('ctxledger.copyForNewChat', shown);
      case 'resume':
        return void vscode.commands.executeCommand('ctxledger.startCompacted', shown);
      case 'forget':
        return void vscode.commands.executeCommand('ctxledger.forgetResult', { ...shown, file: wish.file });
      case 'folder':
        return void vscode.commands.executeCommand('vscode.openFolder');
      case 'compact':
        return void vscode.commands.executeCommand('ctxledger.compact', shown);
      case 'size':
        return void vscode.commands.executeCommand(setWindowCommand, shown);
      case 'past':
        return void vscode.commands.executeCommand('ctxledger.readPast');
      case 'summary':
        return open(this.server, summaryUri(wish.id));
      case 'file':
        return open(this.server, fileUri(wish.uri, this.sources));
    }
  }
}

/** Returns what a request names: the folder only where it is not the one that is looked at. */
function named({ session, folder }: Asked): { session: string; folder?: string } {
  return folder === '' ? { session } : { session, folder };
}

async function open(server: Server, uri: string | undefined): Promise<void> {
  if (uri !== undefined) {
    await openRecord(server, uri, vscode.ViewColumn.Beside);
  }
}
