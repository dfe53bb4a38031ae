// The steps of the walkthrough: each asks the server, which runs, and shows what it answers. A step is ticked by then.
import * as vscode from 'vscode';
import type { FigurePages } from './figurePages';
import { habitFigures, memoryFigures, sessionFigures } from './firstFigures';
import { carriedRequest, contextRequest, type Audited, type Done } from './protocol';
import type { Server } from './server';
import { serverCommands } from './serverCommands';

/** From this many tokens on, the step about hints has sections show how many tokens they have. */
const hintsFrom = 200;

/** What the server says of its hints, so that those of others are not taken for them. */
const hintTooltip = 'how many tokens this section has, counted on its own';

/** Files that have sections: texts and code, and no data. */
const sectioned = /\.(md|go|rs|py|rb|php|[cm]?[jt]sx?|java|kt|cs|swift|cc|cpp|hh?|hpp|c)$/;

/** Opens the walkthrough. */
export function getStarted(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', 'ctxledger.ctxledger#ctxledger.start', false);
}

/** Opens the walkthrough about context graphs. */
export function getStartedWithGraphs(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openWalkthrough', 'ctxledger.ctxledger#ctxledger.graph', false);
}

/**
 * Ticks a step of the walkthrough, whose result is shown. The context is set for a moment only: VS Code never ticks a step whose
 * context is set already when the walkthrough is opened.
 */
export function seen(step: 'past' | 'panel' | 'memory' | 'hints' | 'habits' | 'example' | 'prompts' | 'workflow'): void {
  const set = (value: boolean): Thenable<unknown> => vscode.commands.executeCommand('setContext', `ctxledger.seen.${step}`, value);
  void set(true).then(() => set(false));
}

/**
 * Reads sessions that agents left in this folder, and shows what the newest one cost. The server shows the progress, the
 * view what was read. Errors: those of the server.
 */
export async function readPast(server: Server, pages: FigurePages): Promise<void> {
  const { said } = (await server.execute(serverCommands.readPast, {})) as Done;
  await showLastSession(server, pages, said);
}

/** Shows what the last session cost that is over, else the live one, below what is said already. Errors: those of the server. */
export async function showLastSession(server: Server, pages: FigurePages, said = ''): Promise<void> {
  const [past, now] = await Promise.all([{ session: '', past: true }, { session: '' }].map((which) => server.request(contextRequest, which)));
  const figures = sessionFigures(past!, said, now);
  await pages.show(server, figures);
  if (figures.found) {
    seen('past');
  }
}

/** Shows what CLAUDE.md, or another memory file, costs in every request. Errors: those of the server. */
export async function showMemoryCost(server: Server, pages: FigurePages): Promise<void> {
  const figures = memoryFigures(await server.request(carriedRequest, {}));
  await pages.show(server, figures);
  if (figures.found) {
    seen('memory');
  }
}

/**
 * Has sections show how many tokens they have, for this user, unless that is on; and shows one that does, beside what is
 * looked at: in one of the largest files of the last session. The step is ticked when there is one to be seen; else there
 * are the settings that say so.
 */
export async function turnHintsOn(server: Server): Promise<void> {
  const ours = vscode.workspace.getConfiguration('ctxledger');
  if (ours.get<number>('hints', 0) === 0) {
    await ours.update('hints', hintsFrom, vscode.ConfigurationTarget.Global);
  }
  const { sources } = await server.request(contextRequest, { session: '' });
  const files = sources.filter(({ uri, tokens }) => tokens.n >= 2 * hintsFrom && sectioned.test(uri)).slice(0, mostFiles);
  const shows = vscode.workspace.getConfiguration('editor').get<string>('inlayHints.enabled', 'on').startsWith('on');
  const found = shows ? await findHint(files.map(({ uri }) => vscode.Uri.parse(uri, true))) : undefined;
  if (found === undefined) {
    await vscode.commands.executeCommand('workbench.action.openSettings', '@id:ctxledger.hints,editor.inlayHints.enabled');
    return;
  }
  const { uri, position } = found;
  const shown = await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
  shown.revealRange(new vscode.Range(position.line, 0, position.line, 0), vscode.TextEditorRevealType.InCenter);
  await hintsIn(uri); // what the editor asks for comes before
  await new Promise((resolve) => setTimeout(resolve, pause)); // and is drawn
  seen('hints');
}

/** How many files are looked through for a hint, and how often: what is set reaches the server a little later. */
const [mostFiles, mostTries, pause] = [8, 10, 200];

/** The longest line whose hint is seen in half a window, in characters. */
const longestLine = 50;

/** Returns the hint of files that is nearest to the beginning of its line, since hints stand at the end of one; nothing where none is in sight. */
async function findHint(uris: readonly vscode.Uri[]): Promise<{ uri: vscode.Uri; position: vscode.Position } | undefined> {
  for (let tries = 0; tries < mostTries && uris.length > 0; tries++) {
    const hints = (await Promise.all(uris.map(hintsIn))).flat().sort((a, b) => a.position.character - b.position.character);
    if (hints.length > 0) {
      return hints.find(({ position }) => position.character <= longestLine);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return undefined;
}

/** Returns our hints in a file. */
async function hintsIn(uri: vscode.Uri): Promise<{ uri: vscode.Uri; position: vscode.Position }[]> {
  const { lineCount } = await vscode.workspace.openTextDocument(uri);
  const hints = await vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', uri, new vscode.Range(0, 0, lineCount, 0));
  return hints.filter(({ tooltip }) => tooltip === hintTooltip).map(({ position }) => ({ uri, position }));
}

/** Shows what all past sessions cost, and which habits cost most. The server shows the progress. Errors: those of the server. */
export async function showHabits(server: Server, pages: FigurePages): Promise<void> {
  const figures = habitFigures((await server.execute(serverCommands.audit, {})) as Audited);
  await pages.show(server, figures);
  if (figures.found) {
    seen('habits');
  }
}

/** The documents that show how a context graph is written, by their URIs. */
const examples = new Set<string>();

/** Reports whether a document is the example of a context graph. */
export function isExample({ uri, isClosed }: vscode.TextDocument): boolean {
  return !isClosed && examples.has(uri.toString());
}

/** Opens the example of a context graph in a new document, with the cursor in its first step. */
export async function openExample(extension: vscode.Uri): Promise<void> {
  const open = vscode.workspace.textDocuments.find(isExample);
  const file = vscode.Uri.joinPath(extension, 'media', 'example.md');
  const document = open ?? await newGraph(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)));
  examples.add(document.uri.toString());
  const first = document.positionAt(document.getText().indexOf('@llm'));
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(first, first) });
  seen('example');
}

/** Opens a new document for a context graph. */
export async function newGraph(content = ''): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content });
  await vscode.window.showTextDocument(document);
  return document;
}
