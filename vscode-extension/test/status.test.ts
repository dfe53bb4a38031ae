import assert from 'node:assert';
import { test } from 'node:test';
import type { Other, Status } from '../src/protocol';
import { changesIn, colourOf, entryOf, othersOf, shareOf } from '../src/status';
import { sayCount } from '../src/text';

const count = (n: number, exact = true) => ({ n, exact, upper: exact ? n : Math.round(n * 1.3) });
const running = { kind: 'running' } as const;
const none: Status = {
  folder: '', session: '', title: '', model: '', held: count(0), window: 0, windowFrom: '', compactsAt: 0, compactsFrom: '', cost: '', updated: 0,
  others: [], pinned: false, near: false, warning: '', followOff: '', problem: '', hint: '',
};
const limits = { warnFrom: 70, alarmFrom: 90, live: true };
const other: Other = { session: 'cd', title: 'Paint it', model: 'claude-opus-4', held: count(82_000), window: 200_000, compactsAt: 0 };
const now = 1_800_000_000_000;
const live: Status = { ...none, session: 'ab03de2c', title: 'Mend the shop', model: 'claude-opus-4', held: count(57_453, false), window: 200_000, updated: 1_800_000_000_000 };

test('the entry is one figure, and whether it is exact: the rest is in its tooltip', () => {
  assert.equal(entryOf(running, live, now, limits)?.text, 'ctx ≈29%');
  assert.equal(entryOf(running, { ...live, held: count(57_453) }, now, limits)?.text, 'ctx 29%');
  assert.equal(entryOf(running, { ...live, window: 0 }, now, limits)?.text, 'ctx ≈57.5k tokens');
});

test('where the agent compacts automatically is known, the tooltip says what is left until then', () => {
  const known = { ...live, held: count(89_000), compactsAt: 167_999, compactsFrom: 'it was set' };
  assert.equal(entryOf(running, known, now, limits)?.text, 'ctx 45%', 'of the window, as the panel has it');
  assert.equal(entryOf(running, { ...known, held: count(152_000) }, now, limits)?.colour, 'warning');
  const over = entryOf(running, { ...known, held: count(192_889), compactsAt: 108_000 }, now, limits);
  assert.equal(over?.text, '$(error) ctx 96%, auto-compact due');
  assert.match(over?.tooltip ?? '', /\| share \| 96% \|\n\| free until auto-compact \| 0 tokens \|\n\| auto-compact at \| 108,000 tokens, due with the next request \|/);
  const says = (n: number) => /\| free until auto-compact \| ([^|]*) \|/.exec(entryOf(running, { ...known, held: count(n) }, now, limits)?.tooltip ?? '')?.[1];
  assert.deepEqual([says(89_000), says(167_900), says(170_000)], ['78,999 tokens', '99 tokens', '0 tokens']);
  assert.match(entryOf(running, known, now, limits)?.spoken ?? '', /^context 45 percent full, auto-compact in 78k tokens$/);
  assert.match(entryOf(running, known, now, limits)?.tooltip ?? '', /\| auto-compact at \| 167,999 tokens \|\n\| why there \| it was set \|/);
});

test('an auto-compact that is due shows in the entry, however much of the window is free', () => {
  const due = { ...live, held: count(100_000), compactsAt: 87_000, compactsFrom: 'autoCompactWindow' };
  const entry = entryOf(running, due, now, limits);
  assert.deepEqual([entry?.text, entry?.colour], ['$(warning) ctx 50%, auto-compact due', 'warning']);
  assert.equal(entry?.spoken, 'context 50 percent full, auto-compact due with the next request, warning');
  assert.equal(entryOf(running, { ...due, held: count(86_999) }, now, limits)?.text, 'ctx 43%');
  assert.equal(entryOf(running, due, now + 20 * 60_000, limits)?.text, 'ctx 50%', 'there may be no next request');
});

test('what was not measured is said below the figures', () => {
  const entry = entryOf(running, { ...live, besides: 'its system prompt and tools come on top of that' }, now, limits);
  assert.match(entry?.tooltip ?? '', /\| session \| ab03de2c \|\n\nIts system prompt and tools come on top of that\\\.\n/);
});

test('nothing is said when no session lives and nothing is wrong', () => {
  assert.equal(entryOf(running, none, now, limits), undefined);
  assert.equal(entryOf(running, undefined, now, limits), undefined);
  assert.equal(entryOf({ kind: 'starting' }, live, now, limits), undefined);
  assert.equal(entryOf({ kind: 'stopped' }, live, now, limits), undefined);
});

test('while no session is followed the entry says off, and a click leads to the setting', () => {
  for (const status of [undefined, none, live]) {
    const entry = entryOf(running, status, now, { ...limits, live: false });
    assert.equal(entry?.text, '$(circle-slash) ctxledger: off');
    assert.match(entry?.tooltip ?? '', /ctxledger\.live.*Click to open that setting/s);
    assert.deepEqual([entry?.command, entry?.argument], ['workbench.action.openSettings', '@id:ctxledger.live']);
  }
  assert.equal(entryOf({ kind: 'starting' }, live, now, { ...limits, live: false }), undefined);
  const damaged = { ...none, problem: 'the ledger is damaged' };
  assert.match(entryOf(running, damaged, now, { ...limits, live: false })?.text ?? '', /damaged/, 'a problem goes first');
});

test('where the configuration keeps sessions from being followed the entry says off, and why', () => {
  const off = { ...none, followOff: 'ctxledger.yaml:1 says follow: false; remove that line' };
  const entry = entryOf(running, off, now, limits);
  assert.deepEqual([entry?.text, entry?.command, entry?.argument], ['$(circle-slash) ctxledger: off', 'ctxledger.showPanel', undefined]);
  assert.match(entry?.tooltip.replaceAll('\\', '') ?? '', /does not follow sessions here: ctxledger\.yaml:1 says follow: false; remove that line\.$/);
  assert.match(entryOf(running, { ...live, followOff: off.followOff }, now, limits)?.text ?? '', /29%/, 'what an agent or a hook recorded');
});

test('a problem is one line, with what to do', () => {
  const entry = entryOf(running, { ...none, problem: 'the ledger is damaged\nat 4,096', hint: 'run `ctxledger ledger check`' }, now, limits);
  assert.equal(entry?.text, '$(warning) ctxledger: the ledger is damaged at 4,096');
  assert.equal(entry?.tooltip, 'the ledger is damaged at 4,096\n\nrun \\`ctxledger ledger check\\`');
  assert.equal(entry?.colour, 'plain');
  assert.match(entryOf(running, { ...none, problem: 'x'.repeat(500) }, now, limits)?.text ?? '', /^\$\(warning\) ctxledger: x{59}…$/);
});

test('without the programs a click shows how to get them', () => {
  for (const named of ['', '/opt/ctxlsp']) {
    const entry = entryOf({ kind: 'missing', named }, undefined, now, limits);
    assert.equal(entry?.command, 'ctxledger.getPrograms');
    assert.ok(entry?.text.includes(named));
  }
  assert.equal(entryOf({ kind: 'failed', why: 'it ended' }, live, now, limits)?.command, 'ctxledger.showLog');
});

test('the colours begin at 70 and at 90 percent', () => {
  const cases = [[undefined, 'plain'], [0, 'plain'], [69, 'plain'], [70, 'warning'], [89, 'warning'], [90, 'error'], [140, 'error']] as const;
  for (const [share, colour] of cases) {
    assert.equal(colourOf(share, limits), colour, `${share}%`);
  }
  assert.equal(colourOf(60, { warnFrom: 50, alarmFrom: 80 }), 'warning');
  assert.equal(colourOf(60, { warnFrom: 80, alarmFrom: 50 }), 'error');
});

test('how full it is has a sign and a word besides its colour', () => {
  const at = (n: number) => entryOf(running, { ...live, held: count(n) }, now, limits);
  assert.deepEqual([at(100_000), at(150_000), at(190_000), at(230_000)].map((entry) => [entry?.text.replace(/ctx .*/, ''), entry?.spoken.split(', ').at(-1)]), [
    ['', 'claude-opus-4'], ['$(warning) ', 'warning'], ['$(error) ', 'nearly full'], ['$(error) ', 'full'],
  ]);
});

test('a warning is a colour, a sign and a sentence in the tooltip', () => {
  const entry = entryOf(running, { ...live, warning: 'the conversation was resumed' }, now, limits);
  assert.deepEqual([entry?.colour, entry?.text], ['warning', '$(warning) ctx ≈29%']);
  assert.match(entry?.tooltip ?? '', /\*\*\n\n\$\(warning\) The conversation was resumed\\\.\n\n\| \| \|/);
  assert.equal(entryOf(running, { ...live, held: count(190_000), warning: 'x' }, now, limits)?.colour, 'error');
});

test('the other sessions that are live are in the tooltip', () => {
  const entry = entryOf(running, { ...live, others: [other, { ...other, title: '[x](command:y)', window: 0 }] }, now, limits);
  assert.deepEqual(entry?.tooltip.split('\n').slice(-4), [
    'Also live:', '', '- 41% · Paint it · claude\\-opus\\-4', '- 82,000 tokens · \\[x\\]\\(command\\:y\\) · claude\\-opus\\-4',
  ]);
});

test('what is shown and what is coloured are the same number', () => {
  assert.equal(shareOf(count(138_999), 200_000), 69);
  assert.equal(shareOf(count(139_000), 200_000), 70);
  assert.equal(shareOf(count(1), 0), undefined);
});

test('a share is rounded as on every other face', () => {
  const at = (n: number, exact = true) => entryOf(running, { ...live, held: { ...count(n), exact } }, now, limits);
  const cases = [[0, '0%'], [900, '<1%'], [41_000, '21%'], [89_000, '45%'], [199_000, '>99%'], [200_000, '100%'], [230_000, '115%']] as const;
  for (const [n, share] of cases) {
    assert.equal(at(n)?.text.split(' ').at(-1), share, String(n));
  }
  assert.deepEqual([at(41_000, false), at(199_000, false)].map((entry) => entry?.text.split(' ').at(-1)), ['≈21%', '>99%']);
  assert.match(at(199_000)?.spoken ?? '', /^context more than 99 percent full, .*, nearly full$/);
});

test('a quiet session is dimmed, and its tooltip says since when', () => {
  const after = (minutes: number) => entryOf(running, { ...live, held: count(190_000), compactsAt: 200_000 }, now + minutes * 60_000, limits);
  assert.equal(after(9)?.text, '$(error) ctx 95%');
  assert.equal(after(9)?.colour, 'error');
  assert.equal(after(14)?.text, 'ctx 95%');
  assert.equal(after(14)?.colour, 'dim');
  assert.match(after(14)?.tooltip ?? '', /\| last active \| 14 min ago \|/);
  assert.match(after(150)?.tooltip ?? '', /\| last active \| 2 h ago \|/);
  assert.match(after(150)?.spoken ?? '', /, idle 2 h$/);
});

test('what is said of a session is renewed when it changes', () => {
  assert.equal(changesIn(live, now + 60_000), 9 * 60_000);
  assert.equal(changesIn(live, now + 14.5 * 60_000), 30_000);
});

test('other sessions that are live are one click away', () => {
  assert.equal(othersOf(running, live), undefined);
  assert.equal(othersOf(running, { ...live, others: [other, other] })?.text, '$(layers) +2');
  assert.equal(othersOf(running, { ...live, others: [other, other] })?.tooltip, '2 other sessions in this folder are live. Click to choose which one is shown.');
  assert.equal(othersOf(running, { ...live, pinned: true })?.text, '$(pinned)');
  assert.equal(othersOf(running, { ...live, others: [other], pinned: true })?.spoken, 'context: You chose this session; 1 other session in this folder is live');
  assert.equal(othersOf(running, { ...live, near: true }), undefined);
  assert.equal(othersOf(running, { ...live, others: [other], near: true })?.spoken,
    'context: This session runs in a terminal of this window; 1 other session in this folder is live');
  assert.equal(othersOf(running, { ...live, others: [other], near: true, pinned: true })?.spoken,
    'context: You chose this session; 1 other session in this folder is live');
  assert.equal(othersOf(running, { ...live, others: [other] })?.command, 'ctxledger.chooseSession');
  assert.equal(othersOf(running, { ...live, others: [other], problem: 'no' }), undefined);
  assert.equal(othersOf({ kind: 'stopped' }, { ...live, others: [other] }), undefined);
});

test('the tooltip has the exact figures as a table, and the words of others are text', () => {
  const entry = entryOf(running, { ...live, title: '[Click](command:x) | $(bug) <b>', session: 'ab|03', windowFrom: 'known | of it' }, now, limits);
  assert.deepEqual(entry?.tooltip.split('\n'), [
    '**\\[Click\\]\\(command\\:x\\) \\| \\$\\(bug\\) &lt;b\\>**', '', '| | |', '|:--|--:|',
    '| in the window | ≈57,453 tokens |', '| at most | 74,689 tokens |', '| size of the window | 200,000 tokens |', '| why that size | known \\| of it |', '| share | ≈29% |',
    '| free | ≈142,547 tokens |', '| model | claude\\-opus\\-4 |', '| session | ab\\|03 |',
    '', '[Set the Size of the Context Window…](command:ctxledger.setWindow)',
  ]);
});

test('a count says when it is an estimate', () => {
  assert.equal(sayCount(count(1_234_567)), '1,234,567');
  assert.equal(sayCount(count(12, false)), '≈12');
});
