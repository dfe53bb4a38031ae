// What people can ask for.
import * as vscode from 'vscode';
import { askServer } from './askServer';
import { countWorkspace } from './counted';
import { costActions } from './costBar';
import { FigurePages } from './figurePages';
import { isCancelled, sentenceOf } from './failures';
import { openRecord } from './open';
import { pick, type Step } from './pick';
import { contextRequest, treeRequest, windowRequest, type Done, type HandedOff, type Node } from './protocol';
import { restorables, type Restorable } from './restorable';
import { runInTerminal } from './runInTerminal';
import type { Server } from './server';
import { serverCommands } from './serverCommands';
import { chooseSession } from './sessions';
import { commas, escapeIcons, forMessage } from './text';
import { getStarted, getStartedWithGraphs, newGraph, openExample, readPast, showHabits, showLastSession, showMemoryCost, turnHintsOn } from './walkthrough';
import { leastWindow, sizeChoices, typedTokens } from './windowSize';

/** What a command is about: a node of the tree, or the session that the panel shows. */
type Named = Pick<Node, 'handle'> & Partial<Node> & { readonly folder?: string };

/** Registers the commands. A command of the tree gets its node; without one it asks which. */
export function registerCommands(extension: vscode.Uri, server: Server, views: readonly { refresh(): void }[]): vscode.Disposable {
  const getPrograms = (): Thenable<unknown> =>
    vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.joinPath(extension, 'media', 'programs.md'));
  const pages = new FigurePages();
  const commands: Record<string, (node?: Named) => unknown> = {
    compact: (node) => compact(server, node),
    startCompacted: async (node) => await startCompacted(server, node) ?? getPrograms(),
    copyForNewChat: (node) => copyForNewChat(server, node),
    restore: (node) => restore(server, node),
    forget: (node) => forget(server, node),
    forgetResult: (node) => forgetResult(server, node),
    chooseSession: (node) => follow(server, node),
    setWindow: (node) => setWindow(server, node),
    costActions: () => costActions(server),
    getStarted,
    getStartedWithGraphs,
    openExample: () => openExample(extension),
    newGraph: () => newGraph(),
    showLastSession: () => showLastSession(server, pages),
    showMemoryCost: () => showMemoryCost(server, pages),
    turnHintsOn: () => turnHintsOn(server),
    readPast: () => readPast(server, pages),
    showHabits: () => showHabits(server, pages),
    openRecord: (node) => node?.uri === undefined ? undefined : openRecord(server, node.uri),
    copyHandle: (node) => node && vscode.env.clipboard.writeText(node.handle),
    countSelection: () => countSelection(server),
    countWorkspace: () => countWorkspace(server),
    askServer: (named) => askServer(server, named, () => views.forEach((view) => view.refresh())),
    audit: () => runInTerminal(server.command(), server.folders.current, 'audit', ['audit']) ?? getPrograms(),
    refresh: () => views.forEach((view) => view.refresh()),
    restartServer: () => server.restart(),
    showLog: () => server.showLog(),
    getPrograms,
  };
  return vscode.Disposable.from(
    pages,
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(`ctxledger.${name}`, (node?: Named) => said(() => run(node))),
    ),
  );
}

/** Runs a command and reports its errors to the user. */
async function said(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof vscode.CancellationError) && !isCancelled(error)) {
      void vscode.window.showErrorMessage(forMessage(sentenceOf(error)));
    }
  }
}

/** Compacts a session. The server shows the progress. */
async function compact(server: Server, node?: Named): Promise<void> {
  tell(server, await ask(server, serverCommands.compact, sessionOf(node)));
}

/** Returns the session that a command is about, and its folder where that is not the one that is looked at. */
function sessionOf(node?: Named): { session: string; folder?: string } {
  return { session: node?.handle ?? '', ...node?.folder === undefined ? {} : { folder: node.folder } };
}

/** Writes a new session that goes on with less, and says in a terminal how to resume it. Returns nothing without the program. */
async function startCompacted(server: Server, node?: Named): Promise<unknown> {
  const named = sessionOf(node);
  const session = named.session === '' ? (await server.request(contextRequest, named)).session : named.session;
  if (session === '') {
    return vscode.window.showInformationMessage('No session is recorded here yet.');
  }
  const folder = named.folder === undefined ? server.folders.current : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(named.folder));
  return runInTerminal(server.command(), folder, 'start a compacted session', ['resume', session]);
}

/** Copies what a new chat needs to go on from a session. Nothing is changed. */
async function copyForNewChat(server: Server, node?: Named): Promise<void> {
  const { said, text } = (await ask(server, serverCommands.handoff, sessionOf(node))) as HandedOff;
  await vscode.env.clipboard.writeText(text);
  void vscode.window.showInformationMessage(forMessage(said));
}

/** Shows a session until another one is chosen. What is shown says which: nothing is reported. */
async function follow(server: Server, node?: Named): Promise<void> {
  const session = node?.handle ?? (await chooseSession(server));
  if (session !== undefined) {
    await ask(server, serverCommands.follow, { session });
  }
}

/** Sets the window of the model of a session, which the user chooses: it holds for that model everywhere. */
async function setWindow(server: Server, node?: Named): Promise<void> {
  const known = await server.request(windowRequest, sessionOf(node));
  if (known.model === '') {
    void vscode.window.showInformationMessage('No session\'s model is known yet.');
    return;
  }
  const title = `Context Window of ${known.model}`;
  const choices = sizeChoices(known).map((choice) => ({ ...choice, label: escapeIcons(choice.label), description: escapeIcons(choice.description) }));
  const chosen = await vscode.window.showQuickPick(choices, { title, placeHolder: `Saved in ${known.file}` });
  if (chosen?.automatic === true) {
    tell(server, await ask(server, serverCommands.setWindow, { model: known.model, automatic: true }));
    return;
  }
  const tokens = chosen?.tokens === 0 ? await askForTokens(title) : chosen?.tokens;
  if (tokens !== undefined) {
    tell(server, await ask(server, serverCommands.setWindow, { model: known.model, tokens }));
  }
}

async function askForTokens(title: string): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title, prompt: 'How many tokens does the context window have?', placeHolder: '200,000 or 200k',
    validateInput: (typed) => (typedTokens(typed) === undefined ? `Enter a number of tokens, at least ${commas(leastWindow)}.` : undefined),
  });
  return text === undefined ? undefined : typedTokens(text);
}

/** The way to a summary that can be taken back, for those that are not listed at once. */
const steps: readonly Step[] = [
  { kind: 'sessions' }, { kind: 'session' }, { kind: 'summary', fit: (node) => node.restorable },
];

/** Restores the range that a summary replaced. */
async function restore(server: Server, node?: Named): Promise<void> {
  const summary = node?.handle ?? (await chooseSummary(server));
  if (summary !== undefined && summary !== '') {
    tell(server, await ask(server, serverCommands.restore, { summary }));
  }
}

/** Asks for a summary that can be taken back: by a list of those of the newest sessions, or by way of a session. */
async function chooseSummary(server: Server): Promise<string | undefined> {
  const listed = await listRestorables(server);
  if (listed.length === 0) {
    void vscode.window.showInformationMessage('There is no compaction to undo.');
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(listed, {
    title: 'Restore Compacted Turns', placeHolder: 'Which turns should replace their summary again?', matchOnDescription: true, matchOnDetail: true,
  });
  return chosen?.handle === '' ? (await pick(server, steps))?.handle : chosen?.handle;
}

/** How many sessions are asked for their summaries at once. */
const listedSessions = 30;

async function listRestorables(server: Server): Promise<Restorable[]> {
  const below = async (parent: string): Promise<Node[]> => (await server.request(treeRequest, { parent })).nodes;
  const nodes = await below('sessions');
  const sessions = nodes.filter(({ kind }) => kind === 'session').slice(0, listedSessions);
  const lists = await Promise.all(sessions.map(async (session) => [session, await below(session.id)] as const));
  return restorables(lists, nodes.length > sessions.length);
}

/** Forgets what a handle names, after a person has read what would go. */
async function forget(server: Server, node?: Named): Promise<void> {
  const handle = node?.handle ?? (await chooseHandle(server));
  if (handle === undefined || handle === '') {
    return;
  }
  const { session: _, ...folder } = sessionOf(node);
  const plan = await ask(server, serverCommands.forget, { ...folder, handle, dryRun: true });
  const answer = await vscode.window.showWarningMessage(
    forMessage(plan.said),
    { modal: true, detail: 'This removes it from the ledger and from the disk. It cannot be undone.' },
    'Forget',
  );
  if (answer === 'Forget') {
    tell(server, await ask(server, serverCommands.forget, { ...folder, handle, dryRun: false }));
  }
}

/** Forgets a result of a file in a session: the only one, or the one that is chosen. */
async function forgetResult(server: Server, node?: Named): Promise<void> {
  const found: Node[] = [];
  const named = sessionOf(node);
  for (let parent: string | undefined = `sessions/${named.session}/artifacts`; parent !== undefined;) {
    const { nodes }: { nodes: Node[] } = await server.request(treeRequest, { ...named, parent });
    found.push(...nodes.filter(({ kind, file, handle }) => kind === 'artifact' && file === node?.file && handle !== ''));
    parent = nodes.find(({ kind }) => kind === 'more')?.id;
  }
  if (found.length === 0) {
    void vscode.window.showInformationMessage('The results of this file are already forgotten.');
    return;
  }
  const choices = found.map((result) => ({ label: escapeIcons(result.label), description: escapeIcons(result.description), result }));
  const chosen = choices.length === 1 ? choices[0] : await vscode.window.showQuickPick(choices, { placeHolder: 'Which result?' });
  if (chosen !== undefined) {
    await forget(server, { ...named, handle: chosen.result.handle });
  }
}

/** What can be forgotten, with the way to it in the tree; without a way its handle is asked for. */
const forgettable: readonly (vscode.QuickPickItem & { readonly way: readonly Step[] })[] = [
  { label: 'A Session…', description: 'and everything recorded of it', way: [{ kind: 'sessions' }, { kind: 'session' }] },
  { label: 'An Artifact…', description: 'a large result stored outside the conversation', way: [{ kind: 'artifacts' }, { kind: 'artifact' }] },
  { label: 'A Summary…', description: 'of a compaction', way: [{ kind: 'sessions' }, { kind: 'session' }, { kind: 'summary' }] },
  { label: 'By Handle…', description: 'for example, a single message', way: [] },
];

/** Asks what to forget, by lists, or by a handle. */
async function chooseHandle(server: Server): Promise<string | undefined> {
  const what = await vscode.window.showQuickPick(forgettable, { title: 'Forget', placeHolder: 'You first see what would be forgotten.' });
  if (what === undefined) {
    return undefined;
  }
  return what.way.length === 0 ? askForHandle() : (await pick(server, what.way))?.handle;
}

function askForHandle(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: 'Forget',
    prompt: 'The handle of an artifact, a message, a summary or a session. You first see what would be forgotten.',
    placeHolder: 'a3f9c20b1d7e',
  });
}

/** Counts the selection. The server shows the result. */
async function countSelection(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor !== undefined) {
    const { document, selection } = editor;
    await server.execute(serverCommands.countSelection, server.location(document.uri, selection));
  }
}

async function ask(server: Server, command: string, argument: object): Promise<Done> {
  return (await server.execute(command, argument)) as Done;
}

/** Shows the result and offers to open its document. The command ends without waiting for the answer. */
function tell(server: Server, done: Done): void {
  const open = done.uri === '' ? [] : ['Open'];
  void vscode.window.showInformationMessage(forMessage(done.said), ...open).then((answer) =>
    answer === 'Open' ? openRecord(server, done.uri) : undefined,
  );
}
