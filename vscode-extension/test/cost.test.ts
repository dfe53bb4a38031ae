import assert from 'node:assert';
import { test } from 'node:test';
import { costEntry, costHead } from '../src/cost';
import { sayThousands } from '../src/text';

const about = (n: number) => ({ n, exact: false, upper: n });

test('a file is said in one figure, with what reading it costs in its tooltip, a selection alone', () => {
  const cost = { tokens: about(14_321), read: about(18_950), cut: false, model: 'claude-opus-4-6' };
  const file = costEntry(cost, false);
  assert.equal(file.text, '≈14.3k tokens in file');
  assert.equal(file.tooltip, 'This file: ≈14,321 tokens, for claude-opus-4-6\n' +
    'Reading it adds ≈18,950 tokens to a conversation: agents get a number before each line.\n≈ marks estimates.');
  assert.match(costEntry({ ...cost, cut: true }, false).tooltip, /Reading it, its first part, adds ≈18,950 tokens/);
  assert.match(costEntry({ ...cost, unsaved: true }, false).tooltip, /^This file, open and not saved: ≈/);
  const refused = costEntry({ ...cost, tokens: about(90_000), read: about(0), cut: true }, false);
  assert.deepEqual([refused.text, refused.tooltip.split('\n')[1]], ['≈90.0k tokens in file', 'Claude Code refuses to read it in full.']);
  const exact = { ...cost, tokens: { n: 412, exact: true, upper: 412 }, model: '' };
  assert.deepEqual(costEntry(exact, true), { text: '412 tokens selected', tooltip: 'The selection: 412 tokens, for o200k_base, as no model is known' });
  assert.match(costEntry({ ...exact, reading: true }, false).tooltip, /for o200k_base, while session files are being read\n/);
});

test('the menu about a file begins with its cost', () => {
  const entry = costEntry({ tokens: about(14_321), read: about(18_950), cut: false, model: 'claude-opus-4-6' }, false);
  assert.deepEqual(costHead(entry), { title: 'This file: ≈14,321 tokens, for claude-opus-4-6',
    placeHolder: 'Reading it adds ≈18,950 tokens to a conversation: agents get a number before each line.' });
  assert.equal(costHead(undefined).title, 'No file that ctxledger counts is open');
});

test('numbers are as short as they can be read', () => {
  assert.deepEqual([0, 999, 1_000, 14_321, 99_940, 143_210, 999_499, 999_500, 1_432_100].map(sayThousands),
    ['0', '999', '1.0k', '14.3k', '99.9k', '143k', '999k', '1.0M', '1.4M']);
});
