import assert from 'node:assert';
import { test } from 'node:test';
import { OlderServer, failureOf, isCancelled, sentenceOf } from '../src/failures';

test('an error of the server has a hint, and any other value is said too', () => {
  const error = Object.assign(new Error('there is no summary 12'), { data: { hint: '`ctxledger log` lists them' } });
  assert.deepEqual(failureOf(error), { message: 'there is no summary 12', hint: '`ctxledger log` lists them' });
  assert.equal(sentenceOf(error), 'there is no summary 12; `ctxledger log` lists them');
  const whole = Object.assign(new Error('gone; look'), { data: { message: 'gone', hint: 'look' } });
  assert.equal(sentenceOf(whole), 'gone; look');
  for (const other of ['x', null, undefined, { data: { hint: 7 } }, { data: null }]) {
    assert.equal(failureOf(other).hint, '');
  }
});

test('what was called off has not failed', () => {
  const coded = (code: number): Error => Object.assign(new Error('request cancelled'), { code });
  assert.deepEqual([-32800, -32802].map(coded).map(isCancelled), [true, true]);
  for (const other of [coded(-32801), coded(-32603), new Error('x'), undefined, 'x']) {
    assert.ok(!isCancelled(other));
  }
});

test('a server that is too old is said to be', () => {
  for (const error of [new OlderServer('there is no such command'), Object.assign(new Error('unknown method'), { code: -32601 })]) {
    assert.match(sentenceOf(error), /^this ctxlsp is older than the extension; .*How to Get the Programs/);
  }
});
