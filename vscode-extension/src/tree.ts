import * as vscode from 'vscode';
import { treeRequest, type Node, type NodeKind } from './protocol';
import { failureOf } from './failures';
import { contextOf, descriptionOf, isEmpty, isOfFile, labelOf, lacksSessions, listed, wordsFor, type Older } from './nodes';
import type { Server } from './server';

/** What the view shows: a node of the ledger, sessions that are not listed at once, what to do, or what is wrong. */
export type Element = Node | Older | Offer | Trouble;

interface Offer {
  readonly offer: string;
  readonly command: string;
}

const readPast: Offer = { offer: 'Read Past Sessions', command: 'ctxledger.readPast' };

interface Trouble {
  readonly trouble: string;
  readonly hint: string;
}

const icons: Record<NodeKind, string> = {
  sessions: 'history',
  session: 'comment-discussion',
  summary: 'fold',
  artifacts: 'archive',
  artifact: 'file',
  memories: 'lightbulb',
  memory: 'note',
  changes: 'diff-multiple',
  file: 'file',
  change: 'diff',
  more: 'ellipsis',
};

/** The view of the ledger: sessions, artifacts, memory and changes, as the server lists them. */
export class Tree implements vscode.TreeDataProvider<Element>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Element>;
  private readonly listeners: vscode.Disposable;
  private stale = false;

  readonly onDidChangeTreeData = this.changes.event;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView('ctxledger.ledger', { treeDataProvider: this });
    this.listeners = vscode.Disposable.from(
      this.view,
      this.view.onDidChangeVisibility(() => this.stale && this.refresh()),
      server.onChanged(() => this.refresh()),
      server.onState(({ kind }) => kind !== 'starting' && kind !== 'stopped' && this.refresh()), // what is open stays open
    );
  }

  /** Asks the server again, if anybody looks; otherwise when somebody does. */
  refresh(): void {
    this.view.description = this.server.folders.several ? this.server.folders.current?.name ?? '' : '';
    this.stale = !this.view.visible;
    if (!this.stale) {
      this.changes.fire(undefined);
    }
  }

  async getChildren(element?: Element): Promise<Element[]> {
    if (this.server.state.kind !== 'running' || isTrouble(element) || isOffer(element)) {
      return [];
    }
    if (isOlder(element)) {
      return [...element.older];
    }
    try {
      const { nodes } = await this.server.request(treeRequest, { parent: element?.id ?? '' });
      return element === undefined ? this.roots(nodes) : this.below(element, nodes);
    } catch (error) {
      const { message, hint } = failureOf(error);
      return [{ trouble: message, hint }];
    }
  }

  /** Returns the roots that are shown. Where the view is empty VS Code shows what package.json has to say. */
  private roots(nodes: Node[]): Element[] {
    const empty = vscode.workspace.workspaceFolders === undefined || isEmpty(nodes);
    const lacks = lacksSessions(nodes);
    if (empty || lacks) {
      this.view.message = ''; // else the list of sessions says what it is to be
    }
    const { followOff = '' } = this.server.status ?? {};
    const rest: Element = followOff === '' ? readPast : { trouble: 'Sessions are not followed here', hint: followOff };
    return empty ? (followOff === '' ? [] : [rest]) : lacks ? [...nodes, rest] : nodes;
  }

  private below(parent: Node, nodes: Node[]): Element[] {
    if (parent.id === 'sessions') { // the first page
      this.view.message = wordsFor(nodes, vscode.workspace.getConfiguration('ctxledger').get('live', true));
    }
    return listed(parent, nodes);
  }

  getTreeItem(element: Element): vscode.TreeItem {
    if (isTrouble(element)) {
      return troubleItem(element);
    }
    if (isOffer(element)) {
      return offerItem(element);
    }
    return isOlder(element) ? olderItem(element) : nodeItem(element, this.server.folders.current);
  }

  dispose(): void {
    this.listeners.dispose();
    this.changes.dispose();
  }
}

function isTrouble(element: Element | undefined): element is Trouble {
  return element !== undefined && 'trouble' in element;
}

function isOffer(element: Element | undefined): element is Offer {
  return element !== undefined && 'offer' in element;
}

function isOlder(element: Element | undefined): element is Older {
  return element !== undefined && 'older' in element;
}

function nodeItem(node: Node, folder: vscode.WorkspaceFolder | undefined): vscode.TreeItem {
  const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(labelOf(node), !node.children ? None : node.kind === 'sessions' ? Expanded : Collapsed);
  item.id = node.id;
  item.description = descriptionOf(node);
  item.tooltip = node.tooltip;
  item.iconPath = iconOf(node);
  if (isOfFile(node)) {
    item.resourceUri = fileOf(node.file, folder?.uri); // for the icon of its language, and its colour in git
  }
  item.contextValue = contextOf(node);
  if (node.uri !== '') {
    item.command = { command: 'ctxledger.openRecord', title: 'Open', arguments: [node] };
  }
  return item;
}

function iconOf(node: Node): vscode.ThemeIcon {
  if (node.live) {
    return new vscode.ThemeIcon('pulse', new vscode.ThemeColor('charts.green'));
  }
  return isOfFile(node) ? vscode.ThemeIcon.File : new vscode.ThemeIcon(icons[node.kind]);
}

/** Returns where a file would be: a path that is not absolute is of the folder. */
function fileOf(path: string, folder: vscode.Uri | undefined): vscode.Uri {
  return /^(\/|[A-Za-z]:)/.test(path) || folder === undefined ? vscode.Uri.file(path) : vscode.Uri.joinPath(folder, path);
}

function offerItem({ offer, command }: Offer): vscode.TreeItem {
  const item = new vscode.TreeItem(offer);
  item.iconPath = new vscode.ThemeIcon('folder-opened');
  item.tooltip = 'Reads earlier sessions of coding agents in this folder from the session files on your disk';
  item.command = { command, title: offer };
  return item;
}

function olderItem({ id }: Older): vscode.TreeItem {
  const item = new vscode.TreeItem('Older Sessions', vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon(icons.more);
  return item;
}

function troubleItem({ trouble, hint }: Trouble): vscode.TreeItem {
  const item = new vscode.TreeItem(trouble);
  item.description = hint;
  item.tooltip = hint === '' ? trouble : `${trouble}\n${hint}`;
  item.iconPath = new vscode.ThemeIcon('warning');
  return item;
}
