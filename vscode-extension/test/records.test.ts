import assert from 'node:assert';
import { test } from 'node:test';
import { isOfFile } from '../src/nodes';
import type { Node } from '../src/protocol';
import { diffTitle, formOf, tabPath } from '../src/records';

test('a document is opened in the form that VS Code has for it', () => {
  for (const [uri, form] of [
    ['ctxledger:/session/ab12/Fix%20it.md', 'preview'],
    ['ctxledger:/summary/6c682037c689.md', 'preview'],
    ['ctxledger:/change/7/add.go.md', 'diff'],
    ['ctxledger:///change/7/add.go.md', 'diff'],
    ['ctxledger:/memory/project/session.md', 'text'],
    ['ctxledger:/artifact/ab12/session/x.md', 'text'],
    ['ctxledger:/after/7/add.go', 'text'],
    ['ctxledger-figures:/What%20CLAUDE.md%20Costs', 'preview'],
    ['file:///session/x.md', 'text'],
  ] as const) {
    assert.equal(formOf(uri), form, uri);
  }
});

test('a preview is named after what it shows, without an extension', () => {
  assert.equal(tabPath('/session/ab12/Fix it.md'), '/session/ab12/Fix it');
  assert.equal(tabPath('/summary/6c682037c689.md'), '/summary/6c682037c689.md'); // which is its address
  assert.equal(tabPath('/What CLAUDE.md Costs'), '/What CLAUDE.md Costs');
});

test('a diff is named after its file, and says what it is of', () => {
  assert.equal(diffTitle('ctxledger:/after/7/a%20b.go'), 'a b.go (as recorded)');
  assert.equal(diffTitle('ctxledger:/after/7/100%25.txt'), '100%.txt (as recorded)');
});

test('a node of an older server is about no file', () => {
  const node: Node = { id: 'changes/1', label: 'a.go', description: '', tooltip: '', kind: 'change', uri: '', handle: '', restorable: false, children: false, live: false };
  assert.equal(isOfFile(node), false);
  assert.equal(isOfFile({ ...node, file: '' }), false);
  assert.equal(isOfFile({ ...node, file: 'src/a.go' }), true);
});
