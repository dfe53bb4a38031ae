// The steps of the walkthrough: each asks the server, which runs, and says what it answers. None starts anything.
import * as vscode from 'vscode';
import { memoryFigures, sessionFigures } from './firstFigures';
import { carriedRequest, contextRequest } from './protocol';
import type { Server } from './server';
import { forMessage } from './text';

/** From this many tokens on, the step about hints has sections say what they cost. */
const hintsFrom = 200;

/** Opens the walkthrough. */
export function getStarted(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', 'ctxledger.ctxledger#ctxledger.start', false);
}

/** Says what the last session cost. Errors: those of the server. */
export async function showLastSession(server: Server): Promise<void> {
  const said = sessionFigures(await server.request(contextRequest, { session: '' }));
  if (said === undefined) {
    offer('No session is recorded here yet. Sessions of coding agents that work in this folder appear by themselves.', {
      'Read Past Sessions': () => vscode.commands.executeCommand('ctxledger.readPast'),
      'Audit Past Sessions': () => vscode.commands.executeCommand('ctxledger.audit'),
    });
  } else {
    offer(said, { 'Show What Fills It': () => vscode.commands.executeCommand('ctxledger.showPanel') });
  }
}

/** Says what CLAUDE.md costs in every request, or the memory file there is. Errors: those of the server. */
export async function showMemoryCost(server: Server): Promise<void> {
  const found = memoryFigures(await server.request(carriedRequest, {}));
  if (found === undefined) {
    offer('No agent has a memory file here: no CLAUDE.md, AGENTS.md or GEMINI.md.', {});
    return;
  }
  offer(found.text, {
    'Open': () => vscode.commands.executeCommand('vscode.open', vscode.Uri.file(found.path)),
    'Show All': () => vscode.commands.executeCommand('ctxledger.carried.focus'),
  });
}

/** Has sections say what they cost, for this user, unless that is on. */
export async function turnHintsOn(): Promise<void> {
  const ours = vscode.workspace.getConfiguration('ctxledger');
  const before = ours.inspect<number>('hints')?.globalValue;
  const on = ours.get<number>('hints', 0);
  const off = vscode.workspace.getConfiguration('editor').get<string>('inlayHints.enabled') === 'off'
    ? ' They show once editor.inlayHints.enabled is not “off”.' : '';
  if (on > 0) {
    offer(`Sections of ${on} tokens or more say what they cost already.${off}`, {});
    return;
  }
  await ours.update('hints', hintsFrom, vscode.ConfigurationTarget.Global);
  offer(`Sections of ${hintsFrom} tokens or more now say what they cost, behind their names.${off}`, {
    'Undo': () => ours.update('hints', before, vscode.ConfigurationTarget.Global),
    'Settings': () => vscode.commands.executeCommand('workbench.action.openSettings', 'ctxledger.hints'),
  });
}

/** Shows a message with what can be done about it. It does not wait for the answer. */
function offer(text: string, choices: Readonly<Record<string, () => Thenable<unknown>>>): void {
  void vscode.window.showInformationMessage(forMessage(text), ...Object.keys(choices))
    .then((answer) => (answer === undefined ? undefined : choices[answer]?.()));
}
