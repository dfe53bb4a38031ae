import * as vscode from 'vscode';
import { treeRequest, type Node, type NodeKind } from './protocol';
import type { Server } from './server';
import { escapeIcons } from './text';

interface Choice extends vscode.QuickPickItem {
  readonly node: Node;
}

/** One step of the way to a node. */
export interface Step {
  readonly kind: NodeKind;
  /** Which nodes of the kind there are to choose from; all unless it is said. */
  readonly fit?: (node: Node) => boolean;
}

/** Asks for a node of the ledger, step by step from the roots. On the way, what there is only one of is not asked for. */
export async function pick(server: Server, steps: readonly Step[]): Promise<Node | undefined> {
  let chosen: Node | undefined;
  for (const step of steps) {
    chosen = await pickBelow(server, chosen?.id ?? '', step, step === steps.at(-1));
    if (chosen === undefined) {
      return undefined;
    }
  }
  return chosen;
}

async function pickBelow(server: Server, parent: string, step: Step, last: boolean): Promise<Node | undefined> {
  const { nodes } = await server.request(treeRequest, { parent });
  const { kind, fit = () => true } = step;
  const wanted = nodes.filter((node) => node.kind === kind && fit(node));
  const more = nodes.filter((node) => node.kind === 'more');
  if (wanted.length + more.length === 0) {
    void vscode.window.showInformationMessage(`There is no ${kind} to choose.`);
    return undefined;
  }
  if (wanted.length === 1 && more.length === 0 && !last) {
    return wanted[0];
  }
  const choices = [...wanted, ...more].map((node): Choice => ({
    label: escapeIcons(node.label), description: escapeIcons(node.description), node,
  }));
  const chosen = await vscode.window.showQuickPick(choices, { placeHolder: `Which ${kind}?`, matchOnDescription: true });
  return chosen?.node.kind === 'more' ? pickBelow(server, chosen.node.id, step, last) : chosen?.node;
}
