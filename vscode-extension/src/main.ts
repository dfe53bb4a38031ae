import * as vscode from 'vscode';
import { BadgeProvider } from './badgeProvider';
import { CarriedTree } from './carriedTree';
import { registerCommands } from './commands';
import { CostBar } from './costBar';
import { GraphButtons } from './graphs';
import { registerPanel } from './panel';
import { registerPromptPreview } from './promptPreview';
import { Server } from './server';
import { StatusBar } from './statusBar';
import { SymbolSender } from './symbolSender';
import { extendPath } from './terminals';
import { TerminalSender } from './terminalSender';
import { Tree } from './tree';

let server: Server | undefined;

/** Begins: VS Code calls it in trusted workspaces only. Nothing here waits for the server. */
export function activate(context: vscode.ExtensionContext): void {
  server = new Server(context.extensionUri);
  const tree = new Tree(server);
  const carried = new CarriedTree(server);
  context.subscriptions.push(
    server,
    new StatusBar(server),
    new CostBar(server),
    new SymbolSender(server),
    new TerminalSender(server),
    new BadgeProvider(server),
    tree,
    carried,
    new GraphButtons(server),
    registerPanel(context.extensionUri, server),
    registerPromptPreview(context.extensionUri, server),
    registerCommands(context.extensionUri, server, [tree, carried]),
  );
  extendPath(context.environmentVariableCollection, server.bundled());
  void server.start();
}

/** Ends the server. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}
