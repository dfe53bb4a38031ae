// What the ledger holds, as documents and commands of VS Code.
import * as assert from 'node:assert/strict';
import * as cp from 'node:child_process';
import * as vscode from 'vscode';
import type { Done } from '../src/protocol';
import { ledger, root } from './project';
import { until, type Cases } from './run';

export const records: Cases = {
  'a fact is a document': async () => {
    assert.match(await read('ctxledger:/memory/project/prices-in-cents.md'), /Prices are int64 cents everywhere/);
  },
  'a session is a document': async () => {
    const { sessions } = ledger<{ sessions: { id: string }[] }>('sessions');
    assert.match(await read(`ctxledger:/session/${sessions[0]!.id}/shop.md`), /Please get to know this shop first/);
  },
  'an artifact is a document, whole': async () => {
    const { artifacts } = ledger<{ artifacts: { id: string }[] }>('artifact', 'ls');
    const handle = artifacts[0]!.id;
    const whole = cp.execFileSync('ctxledger', ['cat', handle], { cwd: root.fsPath, encoding: 'utf8' });
    assert.equal(await read(`ctxledger:/artifact/${handle}/it.txt`), whole);
  },
  'a session opens as a preview in a tab with its name': async () => {
    const { sessions } = ledger<{ sessions: { id: string }[] }>('sessions');
    await vscode.commands.executeCommand('ctxledger.openRecord', { uri: `ctxledger:/session/${sessions[0]!.id}/shop.md` });
    const tab = await until('the preview', () => tabs().find(({ input }) => input instanceof vscode.TabInputCustom), labels);
    assert.equal((tab.input as vscode.TabInputCustom).viewType, 'vscode.markdown.preview.editor');
    assert.equal(tab.label, 'shop');
  },
  'a change opens as a diff of what its call declares': async () => {
    const { changes } = ledger<{ changes: { id: number; path: string }[] }>('changes');
    const declared = await Promise.all(changes.map(({ id }) => read(`ctxledger:/after/${id}/x.txt`).then(() => true, () => false)));
    const change = changes.find((_, i) => declared[i]);
    assert.ok(change, JSON.stringify(changes));
    await vscode.commands.executeCommand('ctxledger.openRecord', { uri: `ctxledger:/change/${change.id}/x.md` });
    const tab = await until('the diff', () => tabs().find(({ input }) => input instanceof vscode.TabInputTextDiff), labels);
    assert.equal(tab.label, `${change.path.split('/').at(-1)} (as recorded)`);
    const { original, modified } = tab.input as vscode.TabInputTextDiff;
    const [before, after] = [await read(original.toString()), await read(modified.toString())];
    assert.notEqual(before, after);
    assert.match(await read(`ctxledger:/change/${change.id}/x.md`), /^- modified by session/m);
  },
  'the walkthrough opens when somebody asks': async () => {
    await vscode.commands.executeCommand('ctxledger.getStarted');
    await until('the walkthrough', () => tabs().find(({ label }) => /^(Welcome|Walkthrough)/.test(label)), labels);
  },
  'what is not there is no document': async () => {
    await assert.rejects(read('ctxledger:/memory/project/nothing.md'));
  },
  'a session is compacted, its summary is a document, and it is restored': async () => {
    const done = await command('compact', { session: '' });
    const id = /^ctxledger:\/summary\/([0-9a-f]+)\/Summary%20of%20turns%20.+\.md$/.exec(done.uri)?.[1];
    assert.ok(id, JSON.stringify(done));
    assert.match(await read(done.uri), /\S/);
    assert.notEqual((await command('restore', { summary: id })).said, '');
  },
  'sessions of before are read when somebody asks': async () => {
    const { sessions: before } = ledger<{ sessions: { id: string }[] }>('sessions');
    assert.equal((await command('readPast', {})).said, '3 past sessions read.');
    const { sessions } = ledger<{ sessions: { id: string; title: string }[] }>('sessions');
    assert.equal(sessions.length, before.length + 3, JSON.stringify(sessions));
    const past = sessions.find(({ title }) => title.startsWith('The last oak table was sold twice'));
    assert.match(await read(`ctxledger:/session/${past!.id}/past.md`), /<summary>Turn 1 · .*The last oak table was sold twice/);
    assert.match((await command('readPast', {})).said, /^There are no past sessions left/);
  },
  'what would be forgotten is said, and stays': async () => {
    const { artifacts } = ledger<{ artifacts: { id: string }[] }>('artifact', 'ls');
    const handle = artifacts[0]!.id;
    assert.notEqual((await command('forget', { handle, dryRun: true })).said, '');
    await assert.rejects(command('forget', { handle, dryRun: false }), /Forget…/);
    assert.notEqual(await read(`ctxledger:/artifact/${handle}/it.txt`), '');
  },
};

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function labels(): string[] {
  return tabs().map(({ label }) => label);
}

/** Returns the text of a document, as an editor would show it. */
async function read(uri: string): Promise<string> {
  return (await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true))).getText();
}

/** Has the server do a command. */
async function command(name: string, argument: object): Promise<Done> {
  return vscode.commands.executeCommand<Done>(`ctxledger.server.${name}`, argument);
}
