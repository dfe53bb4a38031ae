import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contextOf, descriptionOf, isEmpty, labelOf, lacksSessions, listed, wordsFor } from '../src/nodes';
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
  return contributes.menus['view/item/context']!.filter(({ when }) => when.includes('ctxledger.ledger')).filter(({ when }) => {
    const [, text, pattern] = /viewItem (?:== '([^']+)'|=~ \/(.+)\/)$/.exec(when)!;
    return text === undefined ? new RegExp(pattern!).test(contextOf(node)) : text === contextOf(node);
  }).map(({ command }) => command.replace('ctxledger.', ''));
}

test('the menu of a node offers what can be done with it', () => {
  assert.deepEqual(offered(session), ['showPanel', 'chooseSession', 'startCompacted', 'copyForNewChat', 'compact', 'copyHandle', 'forget']);
  assert.deepEqual(offered({ ...summary, restorable: true }), ['restore', 'copyHandle', 'forget']);
  assert.deepEqual(offered(summary), ['copyHandle', 'forget'], 'one that is not in effect cannot be restored');
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

test('of many sessions the newest are listed, and the others when somebody asks', () => {
  const root: Node = { ...session, id: 'sessions', kind: 'sessions' };
  const some = (n: number): Node[] => Array.from({ length: n }, (_, i) => ({ ...session, id: `sessions/${i}` }));
  assert.deepEqual(listed(root, some(11)), some(11), 'a row for one would hide more than it saves');
  assert.deepEqual(listed(root, some(30)), [...some(30).slice(0, 10), { id: 'sessions/older', older: some(30).slice(10) }]);
  assert.deepEqual(listed({ ...root, kind: 'changes' }, some(30)), some(30));
});

test('where no session is live the list says so, and what its figures are', () => {
  assert.equal(wordsFor([session, session], true), 'No session is live. Costs are at list prices.');
  assert.match(wordsFor([session, session], false), /^Live sessions are not followed \(ctxledger\.live is off\)\./);
  assert.equal(wordsFor([session, { ...session, live: true }], true), '');
  assert.equal(wordsFor([], true), '');
});

test('past sessions are offered where other things are recorded, but no session', () => {
  const root: Node = { ...session, kind: 'sessions', handle: '', children: false };
  const memories: Node = { ...root, kind: 'memories', children: true };
  assert.ok(lacksSessions([root, memories]));
  assert.ok(!lacksSessions([{ ...root, children: true }, memories]));
  assert.ok(!lacksSessions([root, { ...root, kind: 'memories' }]), 'the words of welcome offer it');
});

test('a session is called by its cost and its day, then its whole title, and others as they are', () => {
  const label = 'We oversold the oak table last week: two customers got';
  const session = { kind: 'session', label, live: false } as const;
  assert.equal(labelOf({ ...session, description: '$3.56 · Nov 23 · 7 turns · claude-sonnet-4-5' }), `$3.56 · Nov 23 · ${label}`);
  assert.equal(labelOf({ ...session, description: '$3.56 · 12:00 · 7 turns · claude-sonnet-4-5', live: true }), `$3.56 · ${label}`);
  assert.equal(labelOf({ ...session, kind: 'artifact', description: '' }), label);
});

test('before the title of a session is what it cost and when', () => {
  const of = (description: string, live = false): string => labelOf({ kind: 'session', label: 'Why?', description, live });
  assert.equal(of('$3.56 · Nov 23 · 1,007 turns · claude-sonnet-4-5'), '$3.56 · Nov 23 · Why?');
  assert.equal(of('forgotten · 12:00 · 1 turn'), 'forgotten · 12:00 · Why?');
  assert.equal(of('12:00'), '12:00 · Why?');
  assert.equal(of('12:00', true), 'Why?');
  assert.equal(of('$3.56 · 12:00 · 7 turns · claude-sonnet-4-5', true), '$3.56 · Why?');
  assert.equal(descriptionOf({ kind: 'summary', description: 'a · 2 turns' }), 'a · 2 turns');
});
