import assert from 'node:assert';
import { test } from 'node:test';
import { failureOf, sentenceOf } from '../src/failures';

test('an error of the server has a hint, and any other value is said too', () => {
  const error = Object.assign(new Error('there is no summary 12'), { data: { hint: '`ctxledger log` lists them' } });
  assert.deepEqual(failureOf(error), { message: 'there is no summary 12', hint: '`ctxledger log` lists them' });
  assert.equal(sentenceOf(error), 'there is no summary 12. `ctxledger log` lists them');
  const whole = Object.assign(new Error('gone; look'), { data: { message: 'gone', hint: 'look' } });
  assert.equal(sentenceOf(whole), 'gone. look');
  for (const other of ['x', null, undefined, { data: { hint: 7 } }, { data: null }]) {
    assert.equal(failureOf(other).hint, '');
  }
});
