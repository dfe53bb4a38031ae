import * as vscode from 'vscode';
import { treeRequest, type Node, type NodeKind } from './protocol';
import type { Server } from './server';

interface Choice extends vscode.QuickPickItem {
  readonly node: Node;
}

/** Asks for a node of the ledger, kind by kind from the roots. What there is only one of is not asked for. */
export async function pick(server: Server, kinds: readonly NodeKind[]): Promise<Node | undefined> {
  let parent: Node | undefined;
  for (const kind of kinds) {
    parent = await pickBelow(server, parent?.id ?? '', kind);
    if (parent === undefined) {
      return undefined;
    }
  }
  return parent;
}

async function pickBelow(server: Server, parent: string, kind: NodeKind): Promise<Node | undefined> {
  const { nodes } = await server.request(treeRequest, { parent });
  const wanted = nodes.filter((node) => node.kind === kind);
  if (wanted.length === 0) {
    void vscode.window.showInformationMessage(`There is no ${kind} to choose.`);
    return undefined;
  }
  const more = nodes.filter((node) => node.kind === 'more');
  if (wanted.length === 1 && more.length === 0) {
    return wanted[0];
  }
  const choices = [...wanted, ...more].map((node): Choice => ({ label: node.label, description: node.description, node }));
  const chosen = await vscode.window.showQuickPick(choices, { placeHolder: `Which ${kind}?`, matchOnDescription: true });
  return chosen?.node.kind === 'more' ? pickBelow(server, chosen.node.id, kind) : chosen?.node;
}
