import assert from 'node:assert';
import { test } from 'node:test';
import type { Node } from '../src/protocol';
import { restorables } from '../src/restorable';

const session: Node = {
  id: 'sessions/ab', label: 'Fix $(bug)', description: '', tooltip: '', kind: 'session', uri: '', handle: 'ab', restorable: false, children: true, live: false,
};
const summary: Node = { ...session, kind: 'summary', label: 'Summary of turns 1–9', description: '61,000 → 20,000 tokens', handle: 'cd', restorable: true };

test('what can be restored is listed with its session', () => {
  const below = [summary, { ...summary, handle: 'ef', restorable: false }, { ...session, kind: 'changes', restorable: true } as const];
  const row = { label: summary.label, description: summary.description, detail: 'Fix \\$(bug)', handle: 'cd' };
  assert.deepEqual(restorables([[{ ...session, label: 'empty' }, []], [session, below]], false), [row]);
  assert.deepEqual(restorables([[session, below]], true).map(({ handle }) => handle), ['cd', ''], 'other sessions are one step away');
  assert.deepEqual(restorables([], false), []);
});
