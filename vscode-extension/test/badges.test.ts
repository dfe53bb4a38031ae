import assert from 'node:assert';
import { test } from 'node:test';
import { badgesOf } from '../src/badges';
import type { CarriedPart } from '../src/protocol';

const count = (n: number) => ({ n, exact: n % 2 === 0, upper: n });
const part = (path: string, n: number, more: Partial<CarriedPart> = {}): CarriedPart =>
  ({ kind: 'memory', name: path, path, carried: count(n), later: count(0), ...more });

test('files of every request are marked with their cost', () => {
  const badges = badgesOf({
    hosts: [
      {
        name: 'claude-code', title: 'Claude Code', carried: count(0), unknown: 0,
        parts: [
          part('/w/CLAUDE.md', 1080, { imports: [part('/w/docs/rules.md', 34), part('/w/docs/rules.md', 34)] }),
          part('/w/big.md', 9500), part('/w/later.md', 0), part('/w/.mcp.json', 700, { kind: 'server' }),
        ],
      },
      { name: 'codex', title: 'Codex', carried: count(0), unknown: 0, parts: [part('/w/CLAUDE.md', 1601)] },
    ],
  });
  assert.deepEqual([...badges].map(([path, { text }]) => [path, text]), [
    ['/w/CLAUDE.md', '2k'], ['/w/big.md', '9+'],
  ]);
  assert.equal(badges.get('/w/CLAUDE.md')!.tooltip, '1,080 tokens in every request of Claude Code\n≈1,601 tokens in every request of Codex');
});

test('a file of few tokens is not marked', () => {
  assert.equal(badgesOf({ hosts: [{ name: 'a', title: 'A', carried: count(499), unknown: 0, parts: [part('/x', 499)] }] }).size, 0);
});

test('VS Code shows no more than two characters', () => {
  for (const n of [500, 949, 1499, 1500, 9499, 9500, 123_456]) {
    const [badge] = badgesOf({ hosts: [{ name: 'a', title: 'A', carried: count(n), unknown: 0, parts: [part('/x', n)] }] }).values();
    assert.ok(badge!.text.length >= 1 && badge!.text.length <= 2, `${n}: ${badge!.text}`);
  }
});
