import * as vscode from 'vscode';
import type { AskPreview, Done } from './protocol';
import type { Server } from './server';
import { namedServer, serverCommands } from './serverCommands';
import { forMessage } from './text';

/**
 * Has an MCP server asked for its tools, after a person has read the exact command and confirmed it. What may run is named
 * by the server's answer alone: whoever runs this command chooses a server of the configuration, and nothing else.
 */
export async function askServer(server: Server, argument: unknown, refresh: () => void): Promise<void> {
  const which = namedServer(argument);
  if (which === undefined) {
    return;
  }
  const { question, approved } = (await server.execute(serverCommands.askServer, { ...which, preview: true })) as AskPreview;
  const action = 'Ask It';
  const answer = await vscode.window.showWarningMessage(
    forMessage(`Ask the MCP server ${which.server} for its tools?`), { modal: true, detail: forMessage(question) }, action,
  );
  if (answer !== action) {
    return;
  }
  const done = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: forMessage(`Asking ${which.server} for its tools`) },
    async () => (await server.execute(serverCommands.askServer, { ...which, approved })) as Done,
  );
  refresh();
  void vscode.window.showInformationMessage(forMessage(done.said));
}
