// Which session is shown.
import * as vscode from 'vscode';
import { treeRequest, type Node } from './protocol';
import type { Server } from './server';
import { escapeIcons } from './text';

interface Choice extends vscode.QuickPickItem {
  /** The session's handle; empty: chosen by itself. */
  readonly session: string;
}

const automatic: Choice = { label: '$(sync) Automatic', description: 'the session in a terminal of this window, or else the live one', session: '' };

/** Asks which session to show; nothing if the user turns away. */
export async function chooseSession(server: Server): Promise<string | undefined> {
  const { nodes: roots } = await server.request(treeRequest, { parent: '' });
  const root = roots.find((node) => node.kind === 'sessions');
  const { nodes } = root === undefined ? { nodes: [] } : await server.request(treeRequest, { parent: root.id });
  const sessions = nodes.filter((node) => node.kind === 'session').map(choiceOf);
  const chosen = await vscode.window.showQuickPick([automatic, ...sessions], {
    placeHolder: 'Which session should the status bar, the panel and the lenses show?', matchOnDescription: true,
  });
  return chosen?.session;
}

function choiceOf(node: Node): Choice {
  return {
    label: `${node.live ? '$(pulse)' : '$(comment-discussion)'} ${escapeIcons(node.label)}`,
    description: escapeIcons(node.description),
    session: node.handle,
  };
}
