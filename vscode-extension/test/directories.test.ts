import assert from 'node:assert';
import { test } from 'node:test';
import { childrenOf, isHere, nameOf, parentOf, sayDirectory, titleOf } from '../src/directories';
import { admit, serverCommands } from '../src/serverCommands';

const directory = (path: string, tokens: number, files = 2) => ({ path, tokens, files });
const counted = {
  files: 9, tokens: 1000, exact: true,
  directories: [directory('a', 700), directory('a/deep', 600), directory('ab', 200, 1), directory('a/deep/er', 100)],
};

test('a directory opens to those right below it, largest first', () => {
  assert.deepEqual(childrenOf(counted, '').map(({ path }) => path), ['a', 'ab']);
  assert.deepEqual(childrenOf(counted, 'a').map(({ path }) => path), ['a/deep']);
  assert.deepEqual(childrenOf(counted, 'ab'), []);
  assert.deepEqual(childrenOf({ files: 1, tokens: 1, exact: true }, ''), [], 'of an older server');
  assert.equal(parentOf('a/deep'), 'a');
  assert.equal(parentOf('a'), '');
});

test('the rows add up: files right in a directory have one', () => {
  const all = { files: 5, tokens: 600, exact: true, directories: [
    directory('a', 400), directory('a/b', 300), directory('.', 200), directory('a/.', 100)] };
  for (const [parent, sum] of [['', 600], ['a', 400]] as const) {
    assert.equal(childrenOf(all, parent).reduce((n, { tokens }) => n + tokens, 0), sum);
  }
  assert.deepEqual(all.directories.map(isHere), [false, false, true, true]);
  assert.deepEqual(all.directories.map(nameOf), ['a', 'b', 'files right here', 'files right here']);
});

test('it says what it costs and which share that is', () => {
  assert.equal(sayDirectory(counted, directory('a', 700)), '700 tokens · 70% · 2 files');
  assert.equal(sayDirectory({ ...counted, exact: false }, directory('ab', 1200, 1)), '≈1,200 tokens · 120% · 1 file');
  assert.equal(sayDirectory({ ...counted, tokens: 0 }, directory('a', 0)), '0 tokens · 2 files');
  assert.equal(titleOf({ ...counted, said: 'shop: 1,000 tokens in 9 files' }, ''), 'shop: 1,000 tokens in 9 files');
  assert.equal(titleOf(counted, ''), 'Tokens by Directory', 'of an older server');
  assert.equal(titleOf(counted, 'a/de\nep'), 'Tokens in a/de ep');
  assert.equal(nameOf(directory('a/de\nep', 1)), 'de ep');
});

test('nothing is ignored by a key, a task or a link', () => {
  assert.equal(admit(serverCommands.ignore, [{ path: 'src' }]), undefined);
});
