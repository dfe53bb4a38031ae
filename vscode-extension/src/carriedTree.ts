import * as vscode from 'vscode';
import { rowsOf, type Row } from './carried';
import { failureOf } from './failures';
import { carriedRequest, contextRequest } from './protocol';
import type { Server } from './server';

/** The view of what every request of an agent carries: memory files with their imports, rules, skills and MCP servers. */
export class CarriedTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Row>;
  private readonly listeners: vscode.Disposable;

  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView('ctxledger.carried', { treeDataProvider: this });
    this.listeners = vscode.Disposable.from(
      this.view,
      this.view.onDidChangeVisibility(({ visible }) => visible && this.refresh()),
      vscode.workspace.onDidSaveTextDocument(() => this.view.visible && this.refresh()),
      server.onChanged(() => this.view.visible && this.refresh()),
      server.folders.onDidChange(() => this.view.visible && this.refresh()),
      server.onState(({ kind }) => kind !== 'starting' && kind !== 'stopped' && this.refresh()),
    );
  }

  /** Asks the server again. */
  refresh(): void {
    this.changes.fire(undefined);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    if (row !== undefined) {
      return [...row.rows];
    }
    if (this.server.state.kind !== 'running') {
      return [];
    }
    try {
      const [carried, session] = await Promise.all([
        this.server.request(carriedRequest, {}),
        this.server.request(contextRequest, { session: '' }).catch(() => undefined), // which the panel says
      ]);
      const folder = this.server.folders.several ? this.server.folders.current?.name ?? '' : '';
      const counted = carried.rough === true ? 'rough estimates, not calibrated yet' : 'tokens';
      this.view.description = [folder, counted].filter((part) => part !== '').join(' · ');
      return rowsOf(carried, session);
    } catch (error) {
      const { message, hint } = failureOf(error);
      return [{ id: 'trouble', label: message, description: hint, tooltip: message, icon: 'warning', path: '', rows: [] }];
    }
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, row.rows.length === 0 ? None : row.path === '' ? Expanded : Collapsed);
    item.id = row.id;
    item.description = row.description;
    item.tooltip = row.tooltip;
    item.iconPath = new vscode.ThemeIcon(row.icon);
    if (row.asks !== undefined) {
      item.contextValue = 'server';
    }
    if (row.path !== '') {
      item.command = { command: 'vscode.open', title: 'Open', arguments: [vscode.Uri.file(row.path)] };
    }
    return item;
  }

  dispose(): void {
    this.listeners.dispose();
    this.changes.dispose();
  }
}
