// The extension from its start to its server's end, and what people can ask for.
import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { servers, variable } from './agent';
import { lens, open, set } from './project';
import { until, type Cases } from './run';

const id = 'ctxledger.ctxledger';

export const begin: Cases = {
  'the extension is activated, and starts one server': async () => {
    await until('the extension', () => vscode.extensions.getExtension(id)?.isActive || undefined);
    await until('a server', () => (servers().length > 0 ? true : undefined));
    assert.equal(servers().length, 1);
  },
  'every command that is offered is there': async () => {
    const { contributes } = vscode.extensions.getExtension(id)!.packageJSON as { contributes: { commands: { command: string }[] } };
    const there = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(contributes.commands.map(({ command }) => command).filter((command) => !there.has(command)), []);
  },
};

export const end: Cases = {
  'past sessions are audited in a terminal': async () => {
    const ended: vscode.TaskProcessEndEvent[] = [];
    const listener = vscode.tasks.onDidEndTaskProcess((event) => ended.push(event));
    await vscode.commands.executeCommand('ctxledger.audit');
    const { execution, exitCode } = await until('the end of the audit', () => ended[0]);
    listener.dispose();
    assert.deepEqual([execution.task.source, execution.task.name, exitCode], ['ctxledger', 'audit', 0]);
  },
  'what fills the window is shown beside the editors': async () => {
    await vscode.commands.executeCommand('ctxledger.showPanel');
    await until('the panel', () => tabs().find(({ input }) => input instanceof vscode.TabInputWebview));
  },
  'a server that is killed is started again, and knows what it knew': async () => {
    await another(() => process.kill(servers().at(-1)!, 'SIGKILL'));
    await open('cart/cart.go');
    await lens('cart/cart.go', /read 3 times/);
  },
  'a server is started anew when somebody asks': async () => {
    const before = servers().at(-1)!;
    await another(() => vscode.commands.executeCommand('ctxledger.restartServer'));
    await until('the end of the one before', () => !runs(before) || undefined);
  },
  'a server that is not there is missed without a word, and one that is found is started': async () => {
    const before = servers().at(-1)!;
    const named = setting();
    await set('server.path', '/nowhere/ctxlsp');
    await until('the end of the one before', () => !runs(before) || undefined);
    await another(() => set('server.path', named));
    await lens('cart/cart.go', /read 3 times/);
  },
  'a server that hangs while it starts is in nobody\'s way': async () => {
    const named = setting();
    const silent = path.join(path.dirname(variable('CTX_TEST_SERVERS')), 'silent');
    fs.writeFileSync(silent, `#!/bin/sh\necho $$ >> '${variable('CTX_TEST_SERVERS')}'\nexec sleep 1000\n`, { mode: 0o700 });
    await another(() => set('server.path', silent));
    const hung = servers().at(-1)!;
    await another(() => set('server.path', named));
    await until('the end of the one that hangs', () => !runs(hung) || undefined);
    await lens('cart/cart.go', /read 3 times/);
  },
};

function setting(): string | undefined {
  return vscode.workspace.getConfiguration('ctxledger').get<string>('server.path');
}

/** Waits until what is done has started a server. */
async function another(does: () => unknown): Promise<void> {
  const before = servers().length;
  await does();
  await until('another server', () => (servers().length > before ? true : undefined), servers);
}

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
