import assert from 'node:assert';
import { test } from 'node:test';
import { Restarts } from '../src/restarts';

test('a server is started again five times in three minutes, and then no more', () => {
  const restarts = new Restarts();
  const minute = 60_000;
  for (const at of [0, 1, 2, 3, 4]) {
    assert.ok(restarts.allow(at * 1000), `after ${at} s`);
  }
  assert.ok(!restarts.allow(5000));
  assert.ok(!restarts.allow(3 * minute));
  assert.ok(restarts.allow(3 * minute + 1), 'the first one is long ago');
});
