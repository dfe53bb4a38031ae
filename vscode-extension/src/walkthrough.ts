// The steps of the walkthrough: each asks the server, which runs, and shows what it answers. A step is ticked by then.
import * as vscode from 'vscode';
import { memoryFigures, sessionFigures } from './firstFigures';
import { carriedRequest, contextRequest, type Audited, type Done } from './protocol';
import type { Server } from './server';
import { serverCommands } from './serverCommands';
import { forMessage } from './text';

/** From this many tokens on, the step about hints has sections show how many tokens they have. */
const hintsFrom = 200;

/** Opens the walkthrough. */
export function getStarted(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', 'ctxledger.ctxledger#ctxledger.start', false);
}

/**
 * Ticks a step of the walkthrough, whose result is shown. The context is set for a moment only: VS Code never ticks a step whose
 * context is set already when the walkthrough is opened.
 */
export function seen(step: 'past' | 'panel' | 'memory' | 'hints' | 'habits'): void {
  const set = (value: boolean): Thenable<unknown> => vscode.commands.executeCommand('setContext', `ctxledger.seen.${step}`, value);
  void set(true).then(() => set(false));
}

/**
 * Reads sessions that agents left in this folder, and says what the newest one cost. The server shows the progress, the view
 * what was read. Errors: those of the server.
 */
export async function readPast(server: Server): Promise<void> {
  const { said } = (await server.execute(serverCommands.readPast, {})) as Done;
  await showLastSession(server, said);
}

/** Says what the last session cost, after what is said already. Errors: those of the server. */
export async function showLastSession(server: Server, said = ''): Promise<void> {
  const figures = sessionFigures(await server.request(contextRequest, { session: '' }));
  if (figures === undefined) {
    offer(`${said} No session is recorded here yet. New sessions of Claude Code in this folder appear here on their own.`.trim(), {
      'Audit All Past Sessions': () => vscode.commands.executeCommand('ctxledger.audit'),
    });
    return;
  }
  offer(`${said} ${figures}`.trim(), { 'Show What Fills It': () => vscode.commands.executeCommand('ctxledger.showPanel') });
  seen('past');
}

/** Says what CLAUDE.md, or another memory file, costs in every request. Errors: those of the server. */
export async function showMemoryCost(server: Server): Promise<void> {
  const found = memoryFigures(await server.request(carriedRequest, {}));
  if (found === undefined) {
    offer('There is no memory file here: no CLAUDE.md, AGENTS.md or GEMINI.md.', {});
    return;
  }
  offer(found.text, {
    'Open': () => vscode.commands.executeCommand('vscode.open', vscode.Uri.file(found.path)),
    'Show All': () => vscode.commands.executeCommand('ctxledger.carried.focus'),
  });
  seen('memory');
}

/** Shows sections with their tokens, for this user, unless that is on. */
export async function turnHintsOn(): Promise<void> {
  const ours = vscode.workspace.getConfiguration('ctxledger');
  const before = ours.inspect<number>('hints')?.globalValue;
  const on = ours.get<number>('hints', 0);
  const off = vscode.workspace.getConfiguration('editor').get<string>('inlayHints.enabled') === 'off'
    ? ' To see them, set editor.inlayHints.enabled to another value than “off”.' : '';
  if (on > 0) {
    offer(`Hints are on already, for sections of ${on} tokens or more.${off}`, {});
  } else {
    await ours.update('hints', hintsFrom, vscode.ConfigurationTarget.Global);
    offer(`Sections of ${hintsFrom} tokens or more now have a hint behind their names.${off}`, {
      'Undo': () => ours.update('hints', before, vscode.ConfigurationTarget.Global),
      'Settings': () => vscode.commands.executeCommand('workbench.action.openSettings', 'ctxledger.hints'),
    });
  }
  seen('hints');
}

/** Says what all past sessions cost, and which habits cost most. The server shows the progress. Errors: those of the server. */
export async function showHabits(server: Server): Promise<void> {
  const { sessions, said, detail } = (await server.execute(serverCommands.audit, {})) as Audited;
  const more: vscode.MessageItem = { title: 'Show All Figures in a Terminal' };
  const close: vscode.MessageItem = { title: 'Close', isCloseAffordance: true };
  const answer = await vscode.window.showInformationMessage(
    forMessage(said), { modal: true, detail: forMessage(detail.replaceAll('`', '')) }, ...(sessions > 0 ? [more, close] : [close]),
  );
  if (sessions > 0) {
    seen('habits');
  }
  if (answer === more) {
    await vscode.commands.executeCommand('ctxledger.audit');
  }
}

/** Shows a message with what can be done about it. It does not wait for the answer. */
function offer(text: string, choices: Readonly<Record<string, () => Thenable<unknown>>>): void {
  void vscode.window.showInformationMessage(forMessage(text), ...Object.keys(choices))
    .then((answer) => (answer === undefined ? undefined : choices[answer]?.()));
}
