import assert from 'node:assert';
import { test } from 'node:test';
import type { Status } from '../src/protocol';
import { colourOf, entryOf, shareOf } from '../src/status';
import { sayCount } from '../src/text';

const count = (n: number, exact = true) => ({ n, exact, upper: exact ? n : Math.round(n * 1.3) });
const running = { kind: 'running' } as const;
const none: Status = { session: '', title: '', model: '', held: count(0), window: 0, compactsAt: 0, problem: '', hint: '' };
const live: Status = { ...none, session: 'ab03de2c', title: 'Mend the shop', model: 'claude-opus-4', held: count(57_453, false), window: 200_000 };

test('the entry is the share, the model and whether the count is exact', () => {
  assert.equal(entryOf(running, live)?.text, '$(dashboard) ≈28 % claude-opus-4');
  assert.equal(entryOf(running, { ...live, held: count(57_453) })?.text, '$(dashboard) 28 % claude-opus-4');
  assert.equal(entryOf(running, { ...live, window: 0 })?.text, '$(dashboard) ≈57,453 tokens claude-opus-4');
  assert.equal(entryOf(running, { ...live, model: '' })?.text, '$(dashboard) ≈28 %');
});

test('where the agent compacts by itself is known, the entry says what is left until then', () => {
  const known = { ...live, held: count(89_000), compactsAt: 167_999 };
  assert.equal(entryOf(running, known)?.text, '$(dashboard) 52 % · 78k to auto-compact');
  assert.equal(entryOf(running, known)?.colour, 'plain');
  assert.equal(entryOf(running, { ...known, held: count(152_000) })?.colour, 'error', 'of what it compacts at, not of the window');
  assert.equal(entryOf(running, { ...known, held: count(167_900, false) })?.text, '$(dashboard) ≈99 % · 99 to auto-compact');
  assert.equal(entryOf(running, { ...known, held: count(170_000) })?.text, '$(dashboard) 101 % · 0 to auto-compact');
  assert.match(entryOf(running, known)?.tooltip ?? '', /\| the agent compacts at \| 167,999 tokens \|/);
});

test('nothing is said when no session lives and nothing is wrong', () => {
  assert.equal(entryOf(running, none), undefined);
  assert.equal(entryOf(running, undefined), undefined);
  assert.equal(entryOf({ kind: 'starting' }, live), undefined);
  assert.equal(entryOf({ kind: 'stopped' }, live), undefined);
});

test('a problem is one line, with what to do', () => {
  const entry = entryOf(running, { ...none, problem: 'the ledger is damaged\nat 4,096', hint: 'run `ctxledger check`' });
  assert.equal(entry?.text, '$(warning) ctxledger: the ledger is damaged at 4,096');
  assert.equal(entry?.tooltip, 'the ledger is damaged at 4,096\n\nrun \\`ctxledger check\\`');
  assert.equal(entry?.colour, 'plain');
  assert.match(entryOf(running, { ...none, problem: 'x'.repeat(500) })?.text ?? '', /^\$\(warning\) ctxledger: x{59}…$/);
});

test('without the programs a click shows how to get them', () => {
  for (const named of ['', '/opt/ctxlsp']) {
    const entry = entryOf({ kind: 'missing', named }, undefined);
    assert.equal(entry?.command, 'ctxledger.getPrograms');
    assert.ok(entry?.text.includes(named));
  }
  assert.equal(entryOf({ kind: 'failed', why: 'it ended' }, live)?.command, 'ctxledger.showLog');
});

test('the colours begin at 70 and at 90 percent', () => {
  const cases = [[undefined, 'plain'], [0, 'plain'], [69, 'plain'], [70, 'warning'], [89, 'warning'], [90, 'error'], [140, 'error']] as const;
  for (const [share, colour] of cases) {
    assert.equal(colourOf(share), colour, `${share} %`);
  }
});

test('what is shown and what is coloured are the same number', () => {
  assert.equal(shareOf(count(139_999), 200_000), 69);
  assert.equal(shareOf(count(140_000), 200_000), 70);
  assert.equal(shareOf(count(1), 0), undefined);
});

test('the tooltip has the exact figures as a table, and the words of others are text', () => {
  const entry = entryOf(running, { ...live, title: '[Click](command:x) | $(bug) <b>', session: 'ab|03' });
  assert.deepEqual(entry?.tooltip.split('\n'), [
    '**\\[Click\\]\\(command\\:x\\) \\| \\$\\(bug\\) &lt;b\\>**', '', '| | |', '|:--|--:|',
    '| in the window | ≈57,453 tokens |', '| at most | 74,689 tokens |', '| window | 200,000 tokens |', '| share | ≈28 % |',
    '| free | ≈142,547 tokens |', '| model | claude\\-opus\\-4 |', '| session | ab\\|03 |',
  ]);
});

test('a model cannot bring an icon along', () => {
  assert.equal(entryOf(running, { ...live, model: '$(bug)' })?.text, '$(dashboard) ≈28 % \\$(bug)');
});

test('a count says when it is an estimate', () => {
  assert.equal(sayCount(count(1_234_567)), '1,234,567');
  assert.equal(sayCount(count(12, false)), '≈12');
});
