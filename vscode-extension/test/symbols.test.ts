import assert from 'node:assert';
import { test } from 'node:test';
import { OwnSymbols, most, toSend, wanted, type FoundSymbol } from '../src/symbols';

const range = (first: number, last: number) => ({ start: { line: first, character: 0 }, end: { line: last, character: 9 } });
const symbol = (name: string, first: number, last: number, children: FoundSymbol[] = []): FoundSymbol =>
  ({ name, detail: '', kind: 11, range: range(first, last), selectionRange: range(first, first), children });
const names = (found: FoundSymbol[], own: ReadonlySet<string> = new Set()) => toSend(found, own).map(({ name }) => name);

test('declarations and their members are sent, the outer ones first', () => {
  const inner = symbol('local', 3, 3);
  const found = [symbol('A', 0, 5, [symbol('f', 1, 4, [inner])]), symbol('g', 7, 8)];
  assert.deepEqual(names(found), ['A', 'g', 'f']);
  assert.deepEqual(toSend(found, new Set())[1], { name: 'g', kind: 12, range: range(7, 8), selectionRange: range(7, 7) });
  assert.deepEqual(names([...found, found[1]!]), ['A', 'g', 'f'], 'each once');
  assert.deepEqual(names([{ name: 'without a range', kind: 0 }]), []);
  assert.equal(toSend([symbol(`${'x'.repeat(199)}😀😀`, 0, 0)], new Set())[0]!.name, 'x'.repeat(199), 'no half of a pair');
});

test('no more are sent than the server takes, and members go first', () => {
  const many = Array.from({ length: most }, (_, n) => symbol(`f${n}`, n, n, [symbol(`inner${n}`, n, n)]));
  const sent = names(many);
  assert.equal(sent.length, most);
  assert.ok(sent.every((name) => name.startsWith('f')));
});

test('what our own server answered is not sent back to it', () => {
  const own = new OwnSymbols();
  const ours = { ...symbol('block', 0, 5, [{ ...symbol('inner', 1, 2), detail: '7' }]), detail: '41' };
  const theirs = symbol('block', 0, 5);
  own.note('file:///a.py', 1, [ours]);
  assert.deepEqual(names([ours, theirs, ...ours.children!], own.of('file:///a.py')), ['block']);
  assert.deepEqual(toSend([ours], own.of('file:///a.py')), []);
  own.note('file:///a.py', 1, []); // an answer for the same version may be cached by VS Code
  assert.deepEqual(toSend([ours], own.of('file:///a.py')), []);
  own.note('file:///a.py', 2, []);
  assert.equal(toSend([ours], own.of('file:///a.py')).length, 2);
  own.note('file:///a.py', 2, [ours]);
  own.forget('file:///a.py');
  assert.equal(own.of('file:///a.py').size, 0);
});

test('the server has sections of its own for Go and Markdown', () => {
  assert.deepEqual([['file', 'python'], ['untitled', 'typescript'], ['file', 'go'], ['file', 'markdown'], ['git', 'python']]
    .map(([scheme, language]) => wanted(scheme!, language!)), [true, true, false, false, false]);
});
