import assert from 'node:assert';
import { test } from 'node:test';
import { rowsOf } from '../src/carried';
import type { CarriedPart } from '../src/protocol';

const count = (n: number) => ({ n, exact: true, upper: n });
const part: CarriedPart = { kind: 'memory', name: 'CLAUDE.md', path: '/w/CLAUDE.md', carried: count(1080), later: count(0) };

test('a row says what a part costs, and when', () => {
  const rows = rowsOf({
    hosts: [{
      name: 'claude-code', title: 'Claude Code', carried: count(1200), unknown: 1,
      parts: [
        { ...part, heaviest: 'Tests', share: 0.571, imports: [{ ...part, name: 'docs/rules.md', carried: count(33) }] },
        { ...part, kind: 'skill', name: 'deploy', carried: count(9), later: count(4), when: 'it is used' },
        { ...part, kind: 'rule', name: 'go.md', carried: count(0), later: count(50), when: 'a file that matches *.go is read' },
        { ...part, kind: 'server', name: 'docs', carried: count(0), unknown: true },
        { ...part, kind: 'server', name: 'off', carried: count(0), when: 'it is enabled', use: { sessions: 1, calls: 0 } },
        { ...part, kind: 'server', name: 'db', carried: count(0), unknown: true, use: { sessions: 30, calls: 12, last: '2026-11-20T10:00:00Z' } },
        { ...part, kind: 'server', name: 'gh', carried: count(0), unknown: true, use: { sessions: 0, calls: 0 } },
      ],
    }],
  });
  assert.deepEqual(rows.map(({ label, description }) => [label, description]), [['Claude Code', '1,200 from files + 1 unknown']]);
  assert.match(rows[0]!.tooltip, /from your files with every request: 1,200 tokens\.\nNot included: 1 part of unknown cost\./);
  assert.deepEqual(rows[0]!.rows.map(({ label, description, icon }) => [label, description, icon]), [
    ['CLAUDE.md', '1,080 + 33 imported', 'book'],
    ['deploy', '9', 'tools'],
    ['go.md', '50 when a file that matches *.go is read', 'law'],
    ['docs', 'not counted yet', 'plug'],
    ['off', 'when it is enabled · MCP server, not used', 'plug'],
    ['db', 'not counted yet', 'plug'],
    ['gh', 'not counted yet', 'plug'],
  ]);
  assert.deepEqual(rows[0]!.rows.map(({ tooltip }) => tooltip.split('\n')[1]), [
    '1,080 · 1,113 with imports · longest section: Tests, 57% of the file',
    '9 · 4 when it is used · calls unknown',
    '50 when a file that matches *.go is read',
    'unknown · calls unknown',
    'when it is enabled · not used in the last session',
    'unknown · 12 calls in the last 30 sessions, most recent 2026-11-20',
    'unknown · no session since its configuration changed',
  ], 'all of it is under the mouse');
  assert.deepEqual(rows[0]!.rows[0]!.rows.map(({ id, label, path }) => [id, label, path]), [['claude-code/0/0', 'docs/rules.md', '/w/CLAUDE.md']]);
});

test('what is wrong with a part is in its tooltip, in lines of its own', () => {
  const [host] = rowsOf({
    hosts: [{ name: 'codex', title: 'Codex', carried: count(1), unknown: 0, parts: [{ ...part, name: 'a\nb', problems: [{ message: 'cut\noff' }] }] }],
  });
  assert.equal(host!.description, '1 from files');
  assert.equal(host!.rows[0]!.icon, 'warning');
  assert.equal(host!.rows[0]!.tooltip, 'memory a b\n1,080\n⚠ cut off');
});

test('what a live session has of no file is a row of its own, with the figure of the panel', () => {
  const hosts = ['claude-code', 'codex'].map((name) => ({ name, title: name, carried: count(41), unknown: 0, parts: [part] }));
  const own = [{ name: 'user', tokens: count(9) }, { name: 'system prompt and tools', tokens: { ...count(5059), exact: false } }];
  const rows = (live: boolean): string[][] => rowsOf({ hosts }, { host: 'claude-code', live, own })
    .map((host) => [host, ...host.rows].map(({ label, description }) => `${label} ${description}`));
  assert.deepEqual(rows(true), [['claude-code ≈5,100', 'system prompt and tools ≈5,059', 'CLAUDE.md 1,080'], ['codex 41 from files', 'CLAUDE.md 1,080']], 'the head is the sum');
  own[1]!.name = 'system prompt, tools and memory files'; // where it is not known what of it is in files
  assert.deepEqual(rows(true)[0]!.slice(0, 2), ['claude-code ≈5,059', 'system prompt, tools and memory files ≈5,059']);
  assert.deepEqual(rows(false), [['claude-code 41 from files', 'CLAUDE.md 1,080'], ['codex 41 from files', 'CLAUDE.md 1,080']]);
});

test('an agent that loads no file has the row of its live session alone', () => {
  const [row, ...more] = rowsOf({ hosts: [] }, { host: 'claude-code', live: true, own: [{ name: 'system prompt and tools', tokens: count(41_000) }] });
  assert.deepEqual([row!.label, row!.description, row!.rows.map(({ label }) => label), more], ['Claude Code', '41,000', ['system prompt and tools'], []]);
  assert.deepEqual(rowsOf({ hosts: [] }, { host: 'claude-code', live: false, own: [] }), []);
});

test('the view names the model of each agent', () => {
  const host = { title: 'A', carried: count(41), unknown: 0, parts: [part] };
  const [codex, claude] = rowsOf({ hosts: [{ ...host, name: 'codex', model: 'gpt-5' }, { ...host, name: 'claude-code' }] });
  assert.match(codex!.tooltip, /\nCounted for gpt-5\.$/);
  assert.match(claude!.tooltip, /\nA rough estimate for the usual models of this agent, until a session shows which one it uses\.$/);
});

test('what a session has paid is in the tooltip, with by how many requests', () => {
  const by = { paid_by: '30 of 31 requests; the cost of the others is not known' };
  const parts = [{ ...part, ...by, cost_usd: 0.0212 }, { ...part, ...by, cost_usd: 0.0002 }];
  const [host] = rowsOf({ hosts: [{ name: 'codex', title: 'Codex', carried: count(9), unknown: 0, ...by, cost_usd: 1.234, parts }] });
  assert.match(host!.tooltip, /loads from your files with every request: [≈\d,]+ tokens, ≈\$1\.23 so far in this session, at list prices, over 30 of 31 requests; the cost of the others is not known\.\n/);
  assert.equal(host!.tooltip.split('$').length, 2, 'the cost is that of the files, and nothing else');
  assert.match(host!.rows[0]!.tooltip, /^memory CLAUDE\.md\n1,080\n≈\$0\.02 so far in this session, at list prices, over 30 of 31 requests/);
  assert.match(host!.rows[1]!.tooltip, /\nless than \$0\.01 so far/);
});

test('a server that was asked has its tools below it, those that cost most first', () => {
  const server = { ...part, kind: 'server', name: 'docs', path: '/w/.mcp.json' } as const;
  const [host] = rowsOf({
    hosts: [{
      name: 'claude-code', title: 'Claude Code', carried: count(9), unknown: 1, parts: [
        {
          ...server, carried: count(30), later: count(700), when: 'the model searches for its tools', asked: '2026-11-25T23:00:00Z',
          tools: [{ name: 'a', tokens: count(200) }, { name: 'b\nc', tokens: count(500) }],
        },
        { ...server, unknown: true, carried: count(0) },
        { ...server, carried: count(0), when: 'it is enabled' },
      ],
    }],
  });
  const [asked, unknown, off] = host!.rows;
  assert.equal(asked!.description, '30 · 2 tools');
  assert.equal(asked!.tooltip.split('\n')[1], '30 · 700 when the model searches for its tools · 2 tools, asked on 2026-11-25 · calls unknown');
  assert.deepEqual(asked!.rows.map(({ label, description }) => [label, description]), [
    ['b c', '500 when the model searches for it'], ['a', '200 when the model searches for it'],
  ]);
  const asks = { agent: 'claude-code', server: 'docs', path: '/w/.mcp.json' };
  assert.deepEqual([asked!.asks, unknown!.asks, off!.asks], [asks, asks, undefined]);
});
