import assert from 'node:assert';
import { test } from 'node:test';
import { memoryFigures, sessionFigures } from '../src/firstFigures';
import type { CarriedPart, Context, Host } from '../src/protocol';

const count = (n: number, exact = true) => ({ n, exact, upper: n });
const context: Context = {
  session: 'ab12', title: 'Fix the cart', host: 'claude-code', model: 'claude-sonnet-4-5', live: false, unknown: '', window: 200_000,
  windowFrom: '', compactsAt: 0, compactsFrom: '', threshold: 0,
  used: count(0), fixed: null, measured: 0, held: count(63_250, false), counting: '', saved: count(0), summary: '',
  dollars: 0.4213, nextDollars: 0.019, categories: [], own: [], sources: [], turns: [], earlier: 0,
};
const part: CarriedPart = { kind: 'memory', name: 'CLAUDE.md', path: '/w/CLAUDE.md', carried: count(1080), later: count(0) };
const host: Host = { name: 'claude-code', title: 'Claude Code', parts: [part], carried: count(1500), unknown: 0 };

test('the last session is said with its cost', () => {
  for (const [change, wanted] of [
    [{}, 'Your last session, “Fix the cart”: ≈$0.42 so far, at list prices; its context window holds ≈63,250 of 200,000 tokens, and each further request pays ≈$0.019 to read it.'],
    [{ live: true, dollars: null, nextDollars: null, window: 0 }, 'The live session, “Fix the cart”: the price of its model is not known; its context window holds ≈63,250 tokens.'],
    [{ title: '', dollars: 2 }, 'Your last session, session ab12: ≈$2.00 so far, at list prices; its context window holds ≈63,250 of 200,000 tokens, and each further request pays ≈$0.019 to read it.'],
    [{ window: 0, nextDollars: null, unpriced: '9 tokens of foo without a known price' }, 'Your last session, “Fix the cart”: ≈$0.42 so far, at list prices, and 9 tokens of foo without a known price; its context window holds ≈63,250 tokens.'],
    [{ session: '' }, undefined],
  ] as const) {
    assert.equal(sessionFigures({ ...context, ...change }), wanted);
  }
});

test('CLAUDE.md is said with what it imports, and others where it is not', () => {
  const imports = [{ ...part, name: 'README.md', carried: count(20, false), imports: [{ ...part, name: 'a.md', carried: count(13) }] }];
  const figures = (...hosts: Host[]) => memoryFigures({ hosts });
  assert.deepEqual(figures({ ...host, parts: [{ ...part, imports, heaviest: 'Tests', share: 0.571 }] }), {
    text: 'Claude Code sends CLAUDE.md with every request: 1,080 tokens, ≈1,113 with imports. Its longest section, Tests, is 57 % of it. All files that it sends: 1,500 tokens.',
    path: '/w/CLAUDE.md',
  });
  const codex = { ...host, title: 'Codex', parts: [{ ...part, name: 'AGENTS.md', path: '/w/AGENTS.md', carried: count(5000) }] };
  assert.equal(figures(codex, host)?.path, '/w/CLAUDE.md', 'the one that is asked for');
  assert.equal(figures({ ...host, parts: [{ ...part, path: '/h/.claude/CLAUDE.md', carried: count(9) }, part] })?.path, '/w/CLAUDE.md');
  assert.match(figures(codex)?.text ?? '', /^Codex sends AGENTS\.md with every request: 5,000 tokens\. All/);
  assert.equal(figures({ ...host, parts: [{ ...part, kind: 'skill' }, { ...part, unknown: true }] }), undefined);
});
