import assert from 'node:assert';
import { test } from 'node:test';
import { admit, serverCommands } from '../src/serverCommands';

test('nothing is forgotten by a key, a task or a link', () => {
  const { forget } = serverCommands;
  for (const plan of [{ handle: 'a', dryRun: false }, { handle: 'a' }, { handle: 'a', dryRun: 'true' }, { dryRun: true }, 'a', null, undefined]) {
    assert.equal(admit(forget, [plan]), undefined, JSON.stringify(plan));
  }
  assert.equal(admit(forget, []), undefined);
});

test('what would be forgotten may be asked, and nothing comes along with it', () => {
  const plan = { handle: 'a', dryRun: true, DryRun: false, dryrun: false }; // a server that reads names in any letters
  assert.deepEqual(admit(serverCommands.forget, [plan, { dryRun: false }]), [{ handle: 'a', dryRun: true }]);
});

test('the other commands are run as they are', () => {
  assert.deepEqual(admit(serverCommands.compact, [{ session: '' }]), [{ session: '' }]);
  assert.deepEqual(admit(serverCommands.countWorkspace, []), []);
});
