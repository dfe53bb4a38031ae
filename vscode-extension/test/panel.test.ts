import assert from 'node:assert';
import { test } from 'node:test';
import { growthChart } from '../src/panel/growth';
import { page } from '../src/panel/page';
import { fillOf, stacked, textures } from '../src/panel/palette';
import { insideOf, summaryUri } from '../src/panel/places';
import { layoutOf, ticks } from '../src/panel/scale';
import { sayShare, sayShort, sayTime } from '../src/panel/figures';
import { spokenTurn, turnCard } from '../src/panel/turn';
import { viewOf } from '../src/panel/view';
import type { Context, Count, Part, Turn } from '../src/protocol';

process.env['TZ'] = 'UTC';

const about = (n: number, exact = false): Count => ({ n, exact, upper: exact ? n : Math.ceil(1.3 * n) });

/** A turn that brought so much, behind others that left so much. */
function turn(number: number, before: number, brought: number, more: Partial<Turn> = {}): Turn {
  const filled: Part[] = [{ name: 'tool results', tokens: before }, { name: 'user', tokens: brought }].filter((part) => part.tokens > 0);
  return {
    turn: number, seq: number, time: '2026-11-20T11:05:00Z', request: `request ${number}`, used: about(before + brought), measured: 0,
    filled, added: [{ name: 'user', tokens: brought }], compacted: '', restored: '', ...more,
  };
}

/** A session of so many turns, each of which brought 100 tokens. */
function session(turns: number, more: Partial<Context> = {}): Context {
  const used = about(100 * turns);
  return {
    session: 'ab12cd34', title: 'A session', host: 'claude-code', model: 'claude', live: true, window: 200_000, threshold: 80_000, used,
    fixed: about(20_000), measured: 0, counting: 'prior', saved: about(0), summary: '', categories: [{ name: 'user', tokens: used }],
    sources: [], turns: Array.from({ length: turns }, (_, i) => turn(i + 1, 100 * i, 100)), earlier: 0, ...more,
  };
}

const shown = (context: Context, width = 800, chosen = context.turns.length - 1): string =>
  Object.values(viewOf({ kind: 'context', context }, width, chosen)).join('\n');

/** Returns what the attributes of some elements are. */
const attributes = (markup: string, pattern: RegExp): number[] => [...markup.matchAll(pattern)].map((found) => Number(found[1]));

test('words of others stay words', () => {
  const evil = `<img src=x onerror="alert(1)">&'`;
  const context = session(2, {
    title: evil, host: evil, model: evil, session: evil, counting: evil, window: 0, categories: [{ name: evil, tokens: about(5) }],
    sources: [{ kind: 'file', name: `a/${evil}`, tokens: about(1), calls: 1 }, { kind: 'tool', name: evil, tokens: about(1), calls: 1 }],
    turns: [turn(1, 0, 5, { request: evil, compacted: evil, restored: evil, filled: [{ name: evil, tokens: 5 }], added: [{ name: evil, tokens: 5 }] })],
  });
  for (const markup of [shown(context), shown(context, 300), Object.values(viewOf({ kind: 'trouble', problem: evil, hint: evil }, 800, 0)).join('')]) {
    assert.ok(markup.includes('&lt;img'));
    assert.doesNotMatch(markup, /<img|onerror="|[^&]'/);
  }
});

test('the policy of the page lets nothing in but its own files, and nothing of it is inline', () => {
  const markup = page({ source: 'vscode-resource:', nonce: 'abc', script: 'dist/panel.js', style: 'media/panel.css' });
  assert.match(markup, /content="default-src 'none'; style-src vscode-resource:; script-src 'nonce-abc'"/);
  assert.match(markup, /<script nonce="abc" src="dist\/panel.js"><\/script>/);
  assert.doesNotMatch(markup + shown(session(3)), /style="|\son\w+="|https?:/);
});

test('the bar holds all that fills the window, in its place', () => {
  const context = session(400, { categories: [{ name: 'tool results', tokens: about(30_000) }, { name: 'user', tokens: about(10_000) }], used: about(40_000) });
  const bar = viewOf({ kind: 'context', context }, 800, 0).window;
  const from = attributes(bar, /<rect class="part[^>]* x="([\d.]+)%"/g);
  const wide = attributes(bar, /<rect class="part[^>]* width="([\d.]+)%"/g);
  assert.deepEqual(from, [0, 10, 15]); // the prompt, then the user, then results
  assert.deepEqual(wide, [10, 5, 15]);
  assert.match(bar, /<line x1="40.000%"/); // the threshold
  assert.match(bar, /aria-label="≈60,000 of 200,000 tokens: system prompt and tools ≈20,000, user ≈10,000, tool results ≈30,000"/);
  assert.match(bar, /<title>free: ≈140,000 tokens<\/title>/);
});

test('the table has the same figures, largest first, and says what is an estimate', () => {
  const context = session(1, { fixed: null, counting: 'exact', categories: [{ name: 'user', tokens: about(1_000, true) }, { name: 'summary', tokens: about(3_000, true) }], used: about(4_000, true) });
  const text = (c: Context): string[] => [...viewOf({ kind: 'context', context: c }, 800, 0).window.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map((row) => (row[1] ?? '').replace(/<\/t[dh]>/g, '|').replace(/<[^>]+>/g, ''));
  assert.deepEqual(text(context), ['|what|tokens|of the window|', '|summary|3,000|1.5 %|', '|user|1,000|0.5 %|', '|together|4,000|2.0 %|', '|free|196,000|98.0 %|', '|compaction due above|80,000|40.0 %|']);
  assert.deepEqual(text({ ...context, fixed: about(20), window: 0, threshold: 0 }), ['|what|tokens|share|', '|summary|3,000|74.6 %|', '|user|1,000|24.9 %|', '|system prompt and tools|≈20|0.5 %|', '|together|≈4,020|100 %|']);
});

test('a view larger than its window is drawn whole, with the end of the window in it', () => {
  const context = session(1, { window: 10_000, threshold: 4_000, fixed: null, categories: [{ name: 'user', tokens: about(20_000) }], used: about(20_000) });
  const bar = viewOf({ kind: 'context', context }, 800, 0).window;
  assert.match(bar, /class="mark limit"><title>the window ends at 10,000 tokens<\/title><line class="halo" x1="50.000%"/);
  assert.match(bar, /<strong>≈200 %<\/strong>/);
  assert.match(bar, /free<\/th><td class="number">≈0<\/td><td class="number">0 %/);
});

test('columns lie beside and on each other, as high as what they stand for', () => {
  for (const [turns, width] of [[1, 300], [7, 300], [40, 900], [500, 300], [500, 1600]] as const) {
    const context = session(turns);
    const layout = layoutOf(context, width);
    assert.equal(layout.column(0), layout.left);
    assert.equal(layout.column(turns), layout.right);
    assert.ok(layout.right <= width);
    for (let i = 0; i < turns; i++) {
      const middle = (layout.column(i) + layout.column(i + 1)) / 2;
      const at = layout.turnAt(middle);
      assert.ok(layout.column(at) <= middle && middle <= layout.column(at + 1), `turn ${i} of ${turns} at ${width}: ${at}`);
    }
    assert.equal(layout.turnAt(-5), 0);
    assert.equal(layout.turnAt(1e6), turns - 1);
    assert.equal(layout.level(0), layout.bottom);
    assert.ok(layout.level(layout.most) === layout.top && layout.level(2 * layout.most) === layout.top);
    const tallest = Math.min(...[...growthChart(context, width).matchAll(/<path class="part [^>]*d="([^"]*)"/g)].flatMap((path) => attributes(path[1] ?? '', /V([\d.]+)/g)));
    assert.equal(tallest, layout.level(20_000 + 100 * turns), `${turns} turns at ${width}`);
  }
});

test('of five hundred turns the chart is small, and made at once', () => {
  const chart = growthChart(session(500), 1600);
  assert.ok(chart.length < 60_000, String(chart.length));
  assert.equal(attributes(chart, /<(path) class="part/g).length, 3); // one path a kind, not one a turn
});

test('lines and marks stand where they belong, and those far off are left out', () => {
  const turns = [turn(1, 0, 70_000), turn(2, 30_000, 10, { compacted: 'abcdef' }), turn(3, 90_000, 10, { restored: 'abcdef', measured: 50_000 })];
  const context = session(3, { turns });
  const layout = layoutOf(context, 800);
  const chart = growthChart(context, 800);
  assert.match(chart, new RegExp(`class="mark threshold"><line x1="44" x2="800" y1="${layout.level(80_000)}"`));
  assert.match(chart, new RegExp(`class="mark limit"><line x1="44" x2="800" y1="${layout.level(200_000)}"`));
  assert.deepEqual([...chart.matchAll(/class="cut" transform="translate\(([\d.]+) 14\)"/g)].map((found) => Number(found[1])), [1, 2].map((i) => (layout.column(i) + layout.column(i + 1) - layout.gap) / 2));
  assert.match(chart, new RegExp(`class="measured" d="M${layout.column(2)} ${layout.level(50_000)}h`));
  const wide = session(3, { turns, window: 1_000_000 });
  assert.doesNotMatch(growthChart(wide, 800), /class="mark limit"/);
  const keys = viewOf({ kind: 'context', context: { ...context, earlier: 1 } }, 800, 0).keys.replace(/<[^>]+>/g, '|');
  assert.match(keys, /measured by the provider.*a compaction is due.*the window.*▼ compacted.*▲ taken back.*1 earlier turn not shown/);
});

test('a turn is told exactly, to eyes and to screen readers', () => {
  const turns = [turn(1, 0, 70_000), turn(2, 30_000, 1_000, { compacted: 'abcdef', measured: 51_234 })];
  const context = session(2, { turns });
  const card = turnCard(context, 1).replace(/<[^>]+>/g, '|').replace(/\|+/g, '|');
  assert.equal(card, '|Turn 2|2026-11-20 11:05|request 2|▼ compacted into summary abcdef |Open it|in the view|≈31,000 tokens|change|−≈39,000|measured|51,234 tokens|taken out|≈40,000|+≈1,000|user|');
  assert.equal(spokenTurn(context, 1), 'turn 2, request 2, ≈31,000 tokens in the view, −≈39,000 since the turn before, ▼ compacted into summary abcdef');
  assert.match(turnCard(context, 0), /change<\/dt><dd>\+≈70,000/);
  assert.match(turnCard({ ...context, turns: [turn(0, 0, 5, { request: '' })] }, 0), /before the first request/);
  assert.match(turnCard({ ...context, turns: [turn(4, 0, 5, { request: '', time: '0001-01-01T00:00:00Z' })] }, 0), /Turn 4<\/span><span class="words">a request without words/);
  assert.equal(turnCard(context, 2) + spokenTurn(context, -1), '');
});

test('the first of the listed turns says nothing of what went before it', () => {
  const context = session(2, { earlier: 7, turns: [turn(8, 500_000, 10), turn(9, 500_010, 10)] });
  assert.doesNotMatch(turnCard(context, 0), /taken out|change/);
});

test('where there is nothing to show, the panel says what to do', () => {
  const none = { ...session(0), session: '' };
  assert.match(shown(none), /No session is recorded here yet.*Work with a coding agent.*ctxledger import FILE/s);
  assert.equal(viewOf({ kind: 'context', context: none }, 800, -1).growth, '');
  assert.match(shown(session(1, { live: false })), /not live: the newest session/);
  assert.match(Object.values(viewOf({ kind: 'trouble', problem: 'damaged', hint: 'run check' }, 800, 0)).join(''), /cannot be read.*damaged.*run check.*data-wish="log"/);
  assert.doesNotMatch(shown({ ...session(0), categories: [], fixed: null }), /NaN|undefined|Infinity/);
  assert.doesNotMatch(shown(session(1, { window: 0, threshold: 0, fixed: null, turns: [turn(1, 0, 0)] }), 0), /NaN|undefined|Infinity/);
});

test('every kind of content has a look of its own, without colour too', () => {
  const names = ['user', 'assistant', 'system', 'tool calls', 'tool results', 'artifact stubs', 'shortened results', 'collapsed calls', 'manifest of evicted results', 'summary', 'system prompt and tools'];
  const looks = names.map(fillOf);
  assert.equal(new Set(looks).size, names.length);
  assert.equal(fillOf('something new'), 'fill-other');
  const drawn = [...textures().matchAll(/class="threads[^>]* d="([^"]*)"/g)].map((found) => found[1]);
  assert.equal(new Set(drawn).size, names.length);
  assert.deepEqual(stacked(['zebra', 'user', 'summary', 'user', 'apple']), ['summary', 'user', 'apple', 'zebra']);
});

test('figures are read easily', () => {
  assert.deepEqual([0, 800, 1_500, 20_000, 1_500_000].map(sayShort), ['0', '800', '1.5k', '20k', '1.5M']);
  assert.deepEqual([[0, 10], [1, 100_000], [5, 40], [10, 10], [30, 10], [1, 0]].map(([a, b]) => sayShare(a ?? 0, b ?? 0)), ['0 %', '< 0.1 %', '12.5 %', '100 %', '300 %', '']);
  assert.deepEqual(ticks(106, 4), [0, 50, 100]);
  assert.deepEqual(ticks(84_800, 4), [0, 50_000]);
  assert.equal(sayTime('nonsense') + sayTime('0001-01-01T00:00:00Z'), '');
});

test('only what lies in the ledger and in the folder is opened', () => {
  assert.equal(summaryUri('abcdef123456'), 'ctxledger:/summary/abcdef123456.md');
  assert.equal(summaryUri('../x'), undefined);
  assert.equal(insideOf('file:///w/', 'src/a b#?.ts'), 'file:///w/src/a%20b%23%3F.ts');
  for (const name of ['../x', 'a/../../x', '/etc/passwd', 'a//b', '', '.', 'c:/x', 'a\\..\\b', 'a\u0000b']) {
    assert.equal(insideOf('file:///w', name), undefined, name);
  }
  assert.equal(insideOf(undefined, 'a'), undefined);
});
