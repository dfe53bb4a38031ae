import assert from 'node:assert';
import { test } from 'node:test';
import { admit, serverCommands } from '../src/serverCommands';
import { sizeChoices, typedTokens } from '../src/windowSize';

test('the likely sizes are offered with their reasons, and a number of one\'s own', () => {
  const sizes = [{ tokens: 200_000, why: 'follows from the sessions of claude-code' }, { tokens: 1_000_000, why: 'known for this\nmodel' }];
  assert.deepEqual(sizeChoices({ model: 'claude-opus-4-6', window: 200_000, file: '/home/me/config.yaml', sizes }), [
    { label: '200,000 tokens', description: 'follows from the sessions of claude-code · in use', tokens: 200_000 },
    { label: '1,000,000 tokens', description: 'known for this model', tokens: 1_000_000 },
    { label: 'Another number…', description: '', tokens: 0 },
  ]);
  assert.deepEqual(sizeChoices({ model: 'gpt-5', window: 0, file: '', sizes: [], set: false }).map(({ label }) => label), ['Another number…']);
  assert.deepEqual(sizeChoices({ model: 'gpt-5', window: 0, file: '', sizes: [], set: true }).at(-1),
    { label: 'Automatic', description: 'back to the detected size', tokens: 0, automatic: true });
});

test('a number is taken as people type it', () => {
  for (const [text, n] of [['200000', 200_000], [' 200,000 ', 200_000], ['200 000', 200_000], ['200k', 200_000], ['1M', 1_000_000]] as const) {
    assert.equal(typedTokens(text), n, text);
  }
  for (const text of ['', 'k', '12', '1.5m', '-200000', '200kk', '1e6', '999999999m', '٢٠٠٠٠٠']) {
    assert.equal(typedTokens(text), undefined, text);
  }
});

test('a window is not set by a key, a task or a link', () => {
  assert.equal(admit(serverCommands.setWindow, [{ model: 'gpt-5', tokens: 200_000 }]), undefined);
});
