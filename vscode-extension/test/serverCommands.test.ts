import assert from 'node:assert';
import { test } from 'node:test';
import { admit, namedServer, serverCommands } from '../src/serverCommands';

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

test('no key, task or link starts an MCP server, even with a confirmation', () => {
  assert.equal(admit(serverCommands.askServer, [{ agent: 'a', server: 's', path: '/p', approved: 'x' }]), undefined);
});

test('a row or a lens names a server, and brings no confirmation along', () => {
  const named = { agent: 'claude-code', server: 'docs', path: '/w/.mcp.json' };
  assert.deepEqual(namedServer({ ...named, approved: 'x', preview: false }), named);
  assert.deepEqual(namedServer({ id: 'claude-code/3', asks: { ...named, approved: 'x' } }), named);
  for (const bad of [undefined, null, 'docs', {}, { ...named, server: 1 }, { ...named, server: '' }, { server: 'docs' }]) {
    assert.equal(namedServer(bad), undefined, JSON.stringify(bad));
  }
});
