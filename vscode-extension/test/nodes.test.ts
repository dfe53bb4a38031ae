import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contextOf, isEmpty } from '../src/nodes';
import type { Node } from '../src/protocol';

const session: Node = {
  id: 's/1', label: '', description: '', tooltip: '', kind: 'session', uri: '', handle: 'ab12', restorable: false, children: true, live: false,
};
const summary: Node = { ...session, kind: 'summary', children: false };

interface Entry {
  readonly command: string;
  readonly when: string;
}

/** Returns the commands that the menu of a node offers. */
function offered(node: Node): string[] {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { menus: Record<string, Entry[]> } };
  return contributes.menus['view/item/context']!.filter(({ when }) => {
    const [, text, pattern] = /viewItem (?:== '([^']+)'|=~ \/(.+)\/)$/.exec(when)!;
    return text === undefined ? new RegExp(pattern!).test(contextOf(node)) : text === contextOf(node);
  }).map(({ command }) => command.replace('ctxledger.', ''));
}

test('the menu of a node offers what can be done with it', () => {
  assert.deepEqual(offered(session), ['showPanel', 'chooseSession', 'copyForNewChat', 'compact', 'copyHandle', 'forget']);
  assert.deepEqual(offered({ ...summary, restorable: true }), ['restore', 'copyHandle', 'forget']);
  assert.deepEqual(offered(summary), ['copyHandle', 'forget'], 'one that is not in force cannot be restored');
  assert.deepEqual(offered({ ...summary, kind: 'artifact' }), ['copyHandle', 'forget']);
  assert.deepEqual(offered({ ...summary, kind: 'change' }), ['copyHandle']);
  assert.deepEqual(offered({ ...session, kind: 'sessions', handle: '' }), []);
});

test('a ledger in which nothing is leaves its place to the words of welcome', () => {
  const root: Node = { ...session, kind: 'sessions', handle: '', children: false };
  assert.ok(isEmpty([root, { ...root, kind: 'changes' }]));
  assert.ok(!isEmpty([root, { ...root, children: true }]));
  assert.ok(!isEmpty([root, { ...root, kind: 'memories', tooltip: 'a note could not be read' }]), 'what is wrong is said');
});
