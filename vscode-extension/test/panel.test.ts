import assert from 'node:assert';
import { test } from 'node:test';
import { cursorOf, growthChart } from '../src/panel/growth';
import { panelPage } from '../src/panel/page';
import { fillOf, stacked, textures } from '../src/panel/palette';
import { askedOf, fileUri, summaryUri } from '../src/panel/places';
import { layoutOf, ticks } from '../src/panel/scale';
import { sayShare, sayShort, sayTime } from '../src/panel/figures';
import { sayPercent } from '../src/text';
import { spokenTurn, turnCard } from '../src/panel/turn';
import { viewOf } from '../src/panel/view';
import type { Context, Count, Part, Turn } from '../src/protocol';

process.env['TZ'] = 'UTC';

const live = { session: '', folder: '' };

const about = (n: number, exact = false): Count => ({ n, exact, upper: exact ? n : Math.ceil(1.3 * n) });

/** A turn that brought so much, behind others that left so much. */
function turn(number: number, before: number, brought: number, more: Partial<Turn> = {}): Turn {
  const all: Part[] = [{ name: 'tool results', tokens: before }, { name: 'user', tokens: brought }];
  const own = [{ name: 'system prompt, tools and memory files', tokens: 20_000 }, ...all].filter((part) => part.tokens > 0);
  return {
    turn: number, seq: number, time: '2026-11-20T11:05:00Z', request: `request ${number}`,
    used: about(before + brought), held: about(20_000 + before + brought), own, changed: [{ name: 'user', tokens: brought }],
    compacted: '', restored: '', ...more,
  };
}

/** A session of so many turns, each of which brought 100 tokens. */
function session(turns: number, more: Partial<Context> = {}): Context {
  const used = about(100 * turns);
  return {
    session: 'ab12cd34', title: 'A session', host: 'claude-code', model: 'claude', live: true,
    unknown: '', followOff: '', window: 200_000, windowFrom: '', compactsAt: 0, compactsFrom: '', threshold: 80_000, used, fixed: about(20_000), measured: 0, held: about(20_000 + used.n),
    counting: 'prior', saved: about(0), summary: '', dollars: null, categories: [{ name: 'user', tokens: used }], own: [],
    sources: [], turns: Array.from({ length: turns }, (_, i) => turn(i + 1, 100 * i, 100)), earlier: 0, ...more,
  };
}

const shown = (context: Context, width = 800, chosen = context.turns.length - 1): string =>
  Object.values(viewOf({ kind: 'context', context, asked: live }, width, chosen)).join('\n');

const trouble = (problem: string, hint: string): string =>
  Object.values(viewOf({ kind: 'trouble', problem, hint }, 800, 0)).join('');

/** Returns what the attributes of some elements are. */
const attributes = (markup: string, pattern: RegExp): number[] =>
  [...markup.matchAll(pattern)].map((found) => Number(found[1]));

test('what a session costs is said where prices are known', () => {
  assert.doesNotMatch(shown(session(2)), /list prices/);
  assert.match(shown(session(2, { dollars: 4.128, next: 'the next request pays ≈$0.02' })),
    /\$4\.13 so far, at list prices\. The next request pays ≈\$0\.02\./);
  assert.match(shown(session(2, { dollars: 4.128, live: false, next: 'the next request pays ≈$0.02' })),
    /\$4\.13, at list prices\. If you continue it, the next request pays ≈\$0\.02\./);
  assert.match(shown(session(2, { dollars: 0.5 })), /\$0\.50 so far, at list prices\.<\/p>/);
  assert.match(shown(session(2, { dollars: 0.5, subagents: 'of that 2 subagents: $0.10, 9 tokens' })),
    /list prices; of that 2 subagents: \$0\.10, 9 tokens\./);
  assert.match(shown(session(2, { dollars: 0.5, unpriced: '9 tokens of <foo> without a known price' })),
    /\$0\.50 so far, at list prices, and 9 tokens of &lt;foo&gt; without a known price\.<\/p>/);
  assert.match(shown(session(2, { unpriced: '9 tokens of foo without a known price' })), />9 tokens of foo without a known price\.<\/p>/);
});

test('compactions of the agent itself are marked in the chart, and told of their turn', () => {
  const own = session(3, { turns: [turn(1, 0, 100), turn(2, 100, 100, { host_compacted: true, host_held: 167_000 }), turn(3, 0, 50)] });
  assert.match(shown(own, 800, 1), /◆ the agent compacted by itself at 167,000 tokens/);
  assert.match(shown(own), /◆ compacted by the agent itself/);
  assert.equal(shown(own).match(/class="cut"/g)?.length, 1);
  assert.doesNotMatch(shown(session(3)), /◆/);
});

test('what can be done about the window is one click away', () => {
  const said = textOf(shown(session(2)));
  assert.match(said, /\|Start a Compacted Session\|Writes .*stays as it is\.\|Copy for a New Chat\|.*Nothing is changed\.\|/);
  assert.match(said, /\|Compact Session\|.*undoes it\..*keeps its window\.\|/, 'what each does, and whether it can be undone, is to be read');
});

test('words of others stay words', () => {
  const evil = `<img src=x onerror="alert(1)">&'`;
  const context = session(2, {
    title: evil, host: evil, model: evil, session: evil, counting: evil, window: 0,
    categories: [{ name: evil, tokens: about(5) }],
    sources: (['file', 'tool'] as const).map((kind) => ({ kind, name: `a/${evil}`, tokens: about(1), calls: 1, uri: evil })),
    turns: [turn(1, 0, 5, {
      request: evil, compacted: evil, restored: evil,
      own: [{ name: evil, tokens: 5 }],
    })],
  });
  for (const markup of [shown(context), shown(context, 300), trouble(evil, evil)]) {
    assert.ok(markup.includes('&lt;img'));
    assert.doesNotMatch(markup, /<img|onerror="|&'/);
  }
});

test('the policy of the page lets nothing in but its own files, and nothing of it is inline', () => {
  const markup = panelPage({ source: 'vscode-resource:', nonce: 'abc', script: 'dist/panel.js', style: 'media/panel.css' });
  assert.match(markup, /content="default-src 'none'; style-src vscode-resource:; script-src 'nonce-abc'; base-uri 'none'; form-action 'none'"/);
  assert.match(markup, /<script nonce="abc" src="dist\/panel.js"><\/script>/);
  assert.doesNotMatch(markup + shown(session(3)), /style="|\son\w+="|https?:/);
});

test('the bar holds all that fills the window, in its place', () => {
  const categories = [{ name: 'tool results', tokens: about(30_000) }, { name: 'user', tokens: about(10_000) }];
  const own = [...categories, { name: 'system prompt and tools', tokens: about(20_000) }];
  const context = session(400, { own, held: about(60_000), compactsAt: 80_000, compactsFrom: 'it was set' });
  const bar = viewOf({ kind: 'context', context, asked: live }, 800, 0).window;
  const from = attributes(bar, /<rect class="part[^>]* x="([\d.]+)%"/g);
  const wide = attributes(bar, /<rect class="part[^>]* width="([\d.]+)%"/g);
  assert.deepEqual(from, [0, 15, 20]); // results, then the user, then the prompt, as in the table and in the chart from above
  assert.deepEqual(wide, [15, 5, 10]);
  assert.match(bar, /<line x1="40.000%"/); // where the agent compacts
  assert.match(bar, /Auto-compact at 80,000 \(it was set\)\./);
  assert.match(bar, /aria-label="In the agent&#39;s window: ≈60,000 of 200,000 tokens: tool results ≈30,000, user ≈10,000, system prompt and tools ≈20/);
  assert.match(bar, /≈60,000<\/strong> of 200,000 tokens, ≈20,000 free until auto-compact/); // it said 140,000, and 20,000 elsewhere
  const full = viewOf({ kind: 'context', context: { ...context, held: about(90_000) }, asked: live }, 800, 0).window;
  assert.match(full, /, 0 free until auto-compact.*Auto-compact at 80,000 \(it was set\): due with the next request\./);
});

test('the table has the same figures in the order of the bar, and says what is an estimate', () => {
  const categories = [{ name: 'user', tokens: about(1_000, true) }, { name: 'summary', tokens: about(3_000, true) }];
  const context = session(1, { fixed: null, counting: 'exact', categories, used: about(4_000, true), own: categories, held: about(4_000, true) });
  const rows = (of: Context): string[] => {
    const { window, sent } = viewOf({ kind: 'context', context: of, asked: live }, 800, 0);
    return [...(window + sent).matchAll(/<tr[^>]*>(.*?)<\/tr>/g)]
      .map((row) => (row[1] ?? '').replace(/<\/t[dh]>/g, '|').replace(/<[^>]+>/g, ''));
  };
  assert.deepEqual(rows(context), [
    '|contents|tokens|of the window|', '|user|1,000|0.5%|', '|summary|3,000|1.5%|', '|total|4,000|2.0%|',
  ]);
  const apart = { ...context, own: [], held: about(9_000, true) };
  assert.deepEqual(rows(apart), [
    '|contents|tokens|of the window|', '|user|1,000|0.5%|', '|summary|3,000|1.5%|', '|total|4,000|2.0%|',
  ]);
  assert.deepEqual(rows({ ...apart, fixed: about(20), window: 0, threshold: 0 }), [
    '|contents|tokens|share|', '|user|1,000|24.9%|', '|summary|3,000|74.6%|', '|system prompt, tools and memory files|≈20|0.5%|',
    '|total|≈4,020|100%|',
  ]);
});

test('a view larger than its window is drawn whole, with the end of the window in it', () => {
  const used = about(20_000);
  const categories = [{ name: 'user', tokens: used }];
  const context = session(1, { window: 10_000, threshold: 4_000, fixed: null, categories, used, held: used });
  const bar = viewOf({ kind: 'context', context, asked: live }, 800, 0).window;
  assert.match(bar, /"mark limit"><title>the window ends at 10,000 tokens<\/title><line class="halo" x1="50.000%"/);
  assert.match(bar, /≈200%<\/strong> · <strong>≈20,000<\/strong> of 10,000 tokens, 0 free/);
});

/** Returns the text of markup, a part a line. */
const textOf = (markup: string): string => markup.replace(/<title>.*?<\/title>/g, '').replace(/(<[^>]+>)+/g, '|');

test('what the agent has is told apart from what ctxledger would send, with where each is from', () => {
  const measured = about(128_764, true);
  const base = session(1, { used: about(53_000), categories: [{ name: 'user', tokens: about(53_000) }], measured: measured.n });
  const of = (more: Partial<Context>): string => {
    const { window, sent } = viewOf({ kind: 'context', context: { ...base, ...more }, asked: live }, 800, 0);
    return window + sent;
  };
  const two = of({ held: measured });
  assert.match(textOf(two), /^\|In the agent's window now\|64.4%\| · \|128,764\| of 200,000 tokens, 71,236 free\|As reported in the/);
  assert.match(textOf(two), /The same session, shortened by ctxledger\|≈36.5%\| · \|≈73,000\| tokens, ≈55,764 less\|/);
  const partly = of({ held: measured, own: [{ name: 'unaccounted for', tokens: about(5_000) }] });
  assert.match(textOf(partly), /≈50,764 less, not counting what is unaccounted for/); // it is perhaps no saving
  assert.deepEqual(attributes(two, /<rect class="part fill-held"[^>]* width="([\d.]+)%"/g), [64.382]);
  assert.equal([...two.matchAll(/class="mark threshold"><title/g)].length, 1); // which is about the view alone
  const since = of({ held: about(129_968) });
  assert.match(textOf(since), /≈65.0%.*Reported in the provider's latest response: 128,764, and ≈1,204 more since then\./);
  assert.deepEqual(attributes(since, /<rect class="part fill-since"[^>]* width="([\d.]+)%"/g), [0.602]);
  assert.match(textOf(of({ held: about(9_000) })), /≈64,000 more\|.*Agents also drop content on their own/);
  for (const cut of ['the agent compacted', 'the agent cleared old results', 'the conversation went back']) {
    assert.match(textOf(of({ held: about(9_000), cut })), new RegExp(`Estimated: the provider's latest figure, 128,764, is from before ${cut}\\.`));
    assert.match(textOf(of({ held: about(140_000), cut })), new RegExp(`is from before ${cut}\\.`), 'however much came since');
  }
  const whole = of({ held: measured, used: about(300_000) });
  assert.deepEqual(attributes(whole, /class="mark limit"><title>[^<]*<\/title><line class="halo" x1="([\d.]+)%"/g), [62.5, 62.5]);
});

test('the agent\'s own window is broken down, as far as it is known', () => {
  const own = [
    { name: 'tool results', tokens: about(60_000) }, { name: 'system prompt and tools', tokens: about(30_000) },
    { name: 'memory files', tokens: about(8_000) }, { name: 'unaccounted for', tokens: about(2_000) },
  ];
  const context = session(1, { held: about(100_000, true), measured: 100_000, own });
  const markup = viewOf({ kind: 'context', context, asked: live }, 800, 0).window;
  assert.match(textOf(markup), /tool results\|≈60,000\|30.0%\|.*memory files\|≈8,000\|4.0%\|.*unaccounted for\|≈2,000\|1.0%\|total\|100,000\|50.0%/);
  const fills = [...markup.matchAll(/<rect class="part (fill-\w+)" x/g)].map((found) => found[1]);
  assert.deepEqual(fills.slice(0, 4), ['fill-results', 'fill-memory', 'fill-beside', 'fill-rest']);
  assert.doesNotMatch(markup, /fill-held/);
});

test('where both are much the same there is one bar', () => {
  const of = (n: number, more: Partial<Context> = {}): string => {
    const { window, sent } = viewOf({ kind: 'context', context: session(800, { held: about(n), ...more }), asked: live }, 800, 0);
    return window + sent; // a view of 100,000
  };
  for (const [n, bars] of [[94_000, 2], [96_000, 1], [100_000, 1], [104_000, 1], [106_000, 2]] as const) {
    assert.equal([...of(n).matchAll(/class="bar"/g)].length, bars, String(n));
  }
  assert.match(textOf(of(99_000, { measured: 99_000 })), /latest response\..*The same session, shortened by ctxledger.*≈100,000\| tokens, much the same/);
  assert.match(textOf(of(100_000)), /Estimated from what ctxledger has recorded: the provider has not measured anything yet/);
  const besides = 'its system prompt and tools come on top of that, and have not been measured yet';
  assert.match(textOf(of(100_000, { besides })), new RegExp(`Estimated from what ctxledger has recorded: ${besides}\\.`));
  assert.match(textOf(of(100_000, { measured: 70_000 })), /response: 70,000, and ≈30,000 more since then\./, 'input without an answer');
  const turns = [turn(1, 0, 70_000, { measured: 90_000 }), turn(2, 0, 100, { measured: 0, host_compacted: true })];
  assert.match(textOf(of(30_000, { turns, cut: 'the agent compacted' })), /figure, 90,000, is from before the agent compacted/);
});

test('the panel and the status bar say the same share', () => {
  for (const n of [0, 127_999, 128_000, 128_764, 139_999, 199_999, 200_000, 349_420]) {
    const held = about(n, true);
    const context = session(1, { held });
    const said = /class="share">(>|&gt;)? ?([\d.]+)%/.exec(viewOf({ kind: 'context', context, asked: live }, 800, 0).window)?.[2];
    assert.equal(String(Math.floor(Number(said))), /\d+/.exec(sayPercent(held, context.window))?.[0], String(n));
  }
});

test('what is not the conversation has the same figures in both windows', () => {
  const own = [['system prompt and tools', 4_950], ['memory files', 356], ['skills, agents and commands', 10], ['user', 90_000]] as const;
  const context = (fixed: number): Context => session(1, {
    own: own.map(([name, n]) => ({ name, tokens: about(n) })), held: about(95_316), fixed: about(fixed), used: about(20_000),
    categories: [{ name: 'user', tokens: about(20_000) }],
  });
  const sent = (fixed: number): string => textOf(viewOf({ kind: 'context', context: context(fixed), asked: { session: '', folder: '' } }, 800, 0).sent);
  assert.match(sent(5_316), /skills, agents and commands\|≈10\|.*memory files\|≈356\|.*system prompt and tools\|≈4,950\|/);
  assert.match(sent(6_000), /system prompt, tools and memory files\|≈6,000\|/, 'where they are not all of it');
  assert.doesNotMatch(sent(6_000), /≈356/);
});

test('a long title ends with a word, and is whole under the mouse', () => {
  const title = 'Please get to know this shop first: read the packages and tell me how they hang together. Then make `go test ./...` gre…';
  assert.match(shown(session(1, { title })), /<h1 title="Please[^"]*gre…">Please get .* tell me how they…<\/h1>/);
  assert.match(shown(session(1, { title: 'make them gre…' })), /<h1 title="make them gre…">make them…<\/h1>/);
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
      const [from, to] = [layout.column(at), layout.column(at + 1)];
      assert.ok(from <= middle && middle <= to, `turn ${i} of ${turns} at ${width}: ${at}`);
    }
    assert.equal(layout.turnAt(-5), 0);
    assert.equal(layout.turnAt(1e6), turns - 1);
    assert.equal(layout.level(0), layout.bottom);
    assert.ok(layout.level(layout.most) === layout.top && layout.level(2 * layout.most) === layout.top);
    const paths = [...growthChart(context, width).matchAll(/<path class="part [^>]*d="([^"]*)"/g)];
    const tallest = Math.min(...paths.flatMap((path) => attributes(path[1] ?? '', /V([\d.]+)/g)));
    assert.equal(tallest, layout.level(20_000 + 100 * turns), `${turns} turns at ${width}`);
  }
});

test('a chart of some turns is as wide as the panel', () => {
  assert.equal(layoutOf(session(7), 900).right, 896);
  assert.ok(layoutOf(session(1), 900).right < 300, 'one column is no wall');
});

test('what came before the record is not called the system prompt', () => {
  const own = [{ name: 'earlier conversation, not recorded', tokens: about(20_000) }, { name: 'user', tokens: about(200) }];
  const first = turn(1, 200, 0, { own: own.map(({ name, tokens }) => ({ name, tokens: tokens.n })) });
  const text = textOf(shown(session(1, { own, turns: [first] })));
  assert.match(text, /\|earlier conversation, not recorded\|≈20,000\|/);
  assert.match(text, /The record begins in the middle of the session/);
  assert.doesNotMatch(text, /system prompt, tools and memory files\|/i);
});

test('of five hundred turns the chart is small, and made at once', () => {
  const chart = growthChart(session(500), 1600);
  assert.ok(chart.length < 60_000, String(chart.length));
  assert.equal(attributes(chart, /<(path) class="part/g).length, 3); // one path a kind, not one a turn
});

test('the words of the window and of auto-compact are never printed over each other', () => {
  for (const [compactsAt, said] of [
    [200_000, '<text class="words" x="798" y="AT" text-anchor="end">the window, and auto-compact: 200,000</text>'],
    [195_000, '<text class="words" x="798" y="AT" text-anchor="end">auto-compact at 195,000</text>'],
  ] as const) {
    const context = session(3, { turns: [turn(1, 0, 70_000), turn(2, 90_000, 10)], compactsAt });
    const chart = growthChart(context, 800);
    const y = layoutOf(context, 800).level(compactsAt);
    assert.ok(chart.includes(said.replace('AT', String(compactsAt === 200_000 ? y - 4 : y + 11))), chart);
    const keys = viewOf({ kind: 'context', context, asked: live }, 800, 0).keys;
    assert.equal(keys.includes('where the agent compacts automatically'), compactsAt !== 200_000);
  }
});

test('lines and marks stand where they belong, and those far off are left out', () => {
  const turns = [
    turn(1, 0, 70_000), turn(2, 30_000, 10, { compacted: 'abcdef' }),
    turn(3, 90_000, 10, { restored: 'abcdef', used: about(30_000) }),
  ];
  const context = session(3, { turns, compactsAt: 80_000 });
  const layout = layoutOf(context, 800);
  const chart = growthChart(context, 800);
  assert.match(chart, new RegExp(`class="mark threshold"><line x1="44" x2="800" y1="${layout.level(80_000)}"`));
  assert.match(chart, new RegExp(`class="mark limit"><line x1="44" x2="800" y1="${layout.level(200_000)}"`));
  const middle = (i: number): number => (layout.column(i) + layout.column(i + 1) - layout.gap) / 2;
  assert.deepEqual(attributes(chart, /class="cut" transform="translate\(([\d.]+) 14\)"/g), [middle(1), middle(2)]);
  assert.match(chart, new RegExp(`class="sent" d="[^"]*M${layout.column(2)} ${layout.level(50_000)}h`)); // with what is carried besides
  assert.doesNotMatch(growthChart(session(3), 800), /class="sent"/); // much the same
  assert.deepEqual(attributes(cursorOf(context, 800, 1), / y="([\d.]+)"/g), [layout.level(200_000)]); // not above it
  const wide = session(3, { turns, window: 1_000_000 });
  assert.doesNotMatch(growthChart(wide, 800), /class="mark limit"/);
  const keys = viewOf({ kind: 'context', context: { ...context, earlier: 1 }, asked: live }, 800, 0).keys.replace(/<[^>]+>/g, '|');
  assert.match(keys, /shortened by ctxledger.*where the agent compacts automatically.*▼ compacted.*▲ undone.*1 earlier turn/);
});

test('a turn is told exactly, to eyes and to screen readers', () => {
  const changed = [{ name: 'user', tokens: -69_000 }, { name: 'tool results', tokens: 30_000 }];
  const turns = [turn(1, 0, 70_000), turn(2, 30_000, 1_000, { changed, compacted: 'abcdef', host_compacted: true, held: about(51_234, true), used: about(20_000), cost_usd: 0.523, subagents_usd: 0.2 })];
  const context = session(2, { turns });
  const card = turnCard(context, 1).replace(/<[^>]+>/g, '|').replace(/\|+/g, '|');
  assert.deepEqual(card.split('|').slice(1, -1), [
    'Turn 2', '2026-11-20 11:05', 'request 2', '◆ the agent compacted by itself, ▼ compacted into summary abcdef ', 'Open it',
    'in the window', '51,234 tokens', 'change', '−38,766 tokens', 'removed', '≈69,000 tokens', 'shortened by ctxledger', '≈40,000 tokens', 'cost', '$0.52, including $0.20 for subagents',
    '≈+30,000', 'tool results', '≈−69,000', 'user',
  ]);
  assert.deepEqual(spokenTurn(context, 1).split(', '), [
    'turn 2', 'request 2', '51,234 tokens in the window', '−38,766 tokens since the previous turn', '$0.52', 'including $0.20 for subagents',
    '◆ the agent compacted by itself', '▼ compacted into summary abcdef',
  ]);
  assert.match(turnCard(context, 0), /change<\/dt><dd>≈\+70,000 tokens</);
  const only = (of: Turn): string => turnCard({ ...context, turns: [of] }, 0);
  assert.match(only(turn(0, 0, 5, { request: '' })), /before the first request/);
  const timeless = only(turn(4, 0, 5, { request: '', time: '0001-01-01T00:00:00Z' }));
  assert.match(timeless, /Turn 4<\/span><span class="words">no text, or forgotten/);
  assert.equal(turnCard(context, 2) + spokenTurn(context, -1), '');
});

test('the first of the listed turns says nothing of what went before it', () => {
  const context = session(2, { earlier: 7, turns: [turn(8, 500_000, 10, { changed: [] }), turn(9, 500_010, 10)] });
  assert.doesNotMatch(turnCard(context, 0), /removed|change/);
});

test('what is exact and what is saved is said once', () => {
  const exact = session(2, { counting: 'exact', own: [{ name: 'user', tokens: { ...about(200), exact: true } }] });
  assert.match(shown(exact), /Counts are exact\./);
  const scaled = session(2, { counting: 'exact', own: [{ name: 'user', tokens: about(200) }], saved: about(15_404), held: about(50_000) });
  assert.doesNotMatch(shown(scaled), /Counts are exact|15,404/);
  assert.match(shown(scaled), /≈ marks parts that were counted exactly and then scaled to the size that the provider measured\..*less<.*A stub is a short note in place of a large result/s);
});

test('where there is nothing to show, the panel says what to do', () => {
  const none = { ...session(0), session: '' };
  assert.match(shown(none), /No session is recorded here yet.*followed automatically.*data-wish="past"/s);
  assert.match(shown({ ...none, unknown: 'session files are not followed here: x' }), /Not known: session files are not followed here: x\./);
  assert.match(shown({ ...none, unknown: 'the setting ctxledger.live is off' }), /Not known: the setting ctxledger\.live is off\..*data-wish="past"/);
  const followOff = shown({ ...none, unknown: 'x', followOff: 'ctxledger.yaml:1 says follow: false; remove it' });
  assert.match(followOff, /Sessions are not followed here.*ctxledger\.yaml:1 says follow: false; remove it\./);
  assert.doesNotMatch(followOff, /data-wish="past"|when you ask/);
  assert.match(viewOf({ kind: 'nowhere' }, 800, 0).head, /No folder is open.*data-wish="folder"/);
  assert.equal(viewOf({ kind: 'context', context: none, asked: live }, 800, -1).growth, '');
  assert.match(shown(session(1, { live: false })), /not live: the latest session/);
  assert.doesNotMatch(shown(session(1)), /forked/);
  assert.match(shown(session(1, { forked: '2 records shared with session <b>' })), /forked: 2 records shared with session &lt;b&gt;/);
  assert.match(trouble('damaged', 'run check'), /cannot be read.*damaged.*run check.*data-wish="log"/);
  assert.doesNotMatch(shown({ ...session(0), categories: [], fixed: null }), /NaN|undefined|Infinity/);
  const least = session(1, { window: 0, threshold: 0, fixed: null, turns: [turn(1, 0, 0)] });
  assert.doesNotMatch(shown(least, 0), /NaN|undefined|Infinity/);
});

test('every kind of content has a look of its own, without colour too', () => {
  const names = [
    'user', 'added by the agent', 'assistant', 'system', 'tool calls', 'tool results', 'artifact stubs', 'shortened results',
    'collapsed calls', 'list of removed results', 'summary', 'system prompt, tools and memory files', 'memory files', 'skills, agents and commands',
    'attached at the agent\'s compaction', 'unaccounted for',
  ];
  const looks = names.map(fillOf);
  assert.equal(new Set(looks).size, names.length);
  assert.equal(fillOf('system prompt and tools'), fillOf('system prompt, tools and memory files')); // most of it
  assert.equal(fillOf('something new'), 'fill-other');
  const drawn = [...textures().matchAll(/class="threads[^>]* d="([^"]*)"/g)].map((found) => found[1]);
  assert.equal(new Set(drawn).size, names.length);
  assert.deepEqual(stacked(['zebra', 'user', 'summary', 'user', 'apple']), ['summary', 'user', 'apple', 'zebra']);
});

test('figures are read easily', () => {
  assert.deepEqual([0, 800, 1_500, 20_000, 1_500_000].map(sayShort), ['0', '800', '1.5k', '20k', '1.5M']);
  const shares = [sayShare(0, 10), sayShare(1, 100_000), sayShare(5, 40), sayShare(30, 10), sayShare(1, 0), sayShare(99_999, 100_000)];
  assert.deepEqual(shares, ['0%', '< 0.1%', '12.5%', '300%', '', '> 99.9%']);
  assert.deepEqual(ticks(106, 4), [0, 50, 100]);
  assert.deepEqual(ticks(84_800, 4), [0, 50_000]);
  assert.equal(sayTime('nonsense') + sayTime('0001-01-01T00:00:00Z'), '');
});

test('only summaries, and files that are shown, are opened', () => {
  assert.equal(summaryUri('abcdef123456'), 'ctxledger:/summary/abcdef123456.md');
  assert.equal(summaryUri('../x'), undefined);
  const source = { kind: 'file', name: 'a', tokens: about(1), calls: 1 } as const;
  const shown = [{ ...source, uri: 'file:///w/a%20b.ts' }, { ...source, uri: '' }, { ...source, uri: 'command:x' }];
  assert.equal(fileUri('file:///w/a%20b.ts', shown), 'file:///w/a%20b.ts');
  for (const uri of ['', 'command:x', 'file:///etc/passwd']) {
    assert.equal(fileUri(uri, shown), undefined, uri);
  }
});

test('a source is a link only if it can be opened', () => {
  const files = ['file:///w/src/cart.go', ''].map((uri) => ({ kind: 'file' as const, name: 'src/cart.go', tokens: about(1), sent: about(0), calls: 1, uri }));
  assert.deepEqual(shown(session(1, { sources: files })).match(/data-file="[^"]*"/g), ['data-file="file:///w/src/cart.go"']);
});

test('a source says what the agent has of it, and then what ctxledger would send; results of a file can be forgotten', () => {
  const sources = [
    { kind: 'file' as const, name: 'data/orders.ndjson', tokens: about(48_752), sent: about(612), artifacts: 1, calls: 1, uri: '' },
    { kind: 'file' as const, name: 'main.go', tokens: about(900), calls: 2, uri: '' },
    { kind: 'tool' as const, name: 'Read', tokens: about(50_000), calls: 9, uri: '' },
  ];
  const markup = viewOf({ kind: 'context', context: session(1, { sources }), asked: live }, 800, 0).sources;
  assert.match(textOf(markup), /\|file\|tokens\|of the window\|calls\|shortened\|orders\.ndjson\|data\|≈48,752\|24\.4%\|1\|≈612\|Forget…\|/);
  assert.deepEqual(markup.match(/data-forget="[^"]*"/g), ['data-forget="data/orders.ndjson"']);
});

test('what tools take adds up: those that are not listed are together in a row', () => {
  const sources = [{ kind: 'tool' as const, name: 'Read', tokens: about(50_000), sent: about(100), calls: 9, uri: '' }];
  const categories = [{ name: 'tool results', tokens: about(290) }, { name: 'artifact stubs', tokens: about(10) }];
  const own = [{ name: 'tool results', tokens: about(50_093) }, { name: 'tool calls', tokens: about(700) }, { name: 'user', tokens: about(9) }];
  const rows = (results: number): string => textOf(viewOf({
    kind: 'context', context: session(1, { sources, categories, own: own.map((part, i) => (i === 0 ? { ...part, tokens: about(results) } : part)) }), asked: live,
  }, 800, 0).sources);
  assert.match(rows(50_093), /\|other\|≈793\|0\.4%\|–\|≈200\|/);
  assert.doesNotMatch(rows(49_300), /other/);
});

test('what the agent put in has the name that every face has, and what nothing explains is unaccounted for', () => {
  const own = [{ name: 'added by the agent', tokens: about(60) }, { name: 'unaccounted for', tokens: about(40) }];
  const of = (host: string): string => textOf(viewOf({ kind: 'context', context: session(1, { host, own }), asked: live }, 800, 0).window);
  assert.match(of('claude-code'), /added by the agent\|≈60.*unaccounted for\|≈40/);
});

test('estimates that nothing was measured for are said to be rough', () => {
  assert.match(shown(session(1)), /≈ marks rough estimates, not calibrated yet\./);
  assert.match(shown(session(1, { counting: 'calibrated(135)' })), /≈ marks estimates, calibrated on 135 requests\./);
  assert.match(textOf(shown(session(1, { held: about(90_000) }))), /ctxledger compacts this once it is above ≈80,000 tokens \(40\.0%\)\. How full the agent's own window is does not matter/);
});

test('a panel that comes back shows the session that was asked for', () => {
  const asked = { session: 'ab12cd34', folder: 'file:///w' };
  assert.deepEqual(askedOf({ asked, session: 'x' }), asked);
  for (const memory of [undefined, null, 'x', {}, { asked: 7 }, { asked: { ...asked, session: '../x' } }, { asked: { session: 'ab' } }]) {
    assert.deepEqual(askedOf(memory), live);
  }
  const older = session(1, { live: false });
  assert.match(viewOf({ kind: 'context', context: older, asked: live }, 800, 0).head, /not live: the latest session/);
  assert.match(viewOf({ kind: 'context', context: older, asked: { session: 'ab12cd34', folder: '' } }, 800, 0).head, />not live</);
});

test('no two elements have the same id', () => {
  const sources = (['file', 'tool'] as const).map((kind) => ({ kind, name: 'a/b', tokens: about(1), calls: 1, uri: '' }));
  const context = session(3, { sources, turns: [turn(1, 0, 5, { compacted: 'abcdef' })] });
  const markup = panelPage({ source: 's', nonce: 'n', script: 'j', style: 'c' }) + shown(context);
  const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map((found) => found[1]);
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
  for (const [, label] of markup.matchAll(/aria-labelledby="([^"]*)"/g)) {
    assert.match(markup, new RegExp(`<h2 id="${label}"`));
  }
});

test('a turn that was compacted and undone opens both', () => {
  const both = session(1, { turns: [turn(1, 0, 5, { compacted: 'abcdef', restored: '123456' })] });
  assert.deepEqual(turnCard(both, 0).match(/data-summary="\w+">[^<]+/g), [
    'data-summary="abcdef">Open the first', 'data-summary="123456">Open the second',
  ]);
});

test('what no record explains is saved in no turn, and explained', () => {
  const rest = (n: number): Partial<Turn> => ({ held: about(23_000), own: [{ name: 'user', tokens: 20_000 - n }, { name: 'unaccounted for', tokens: n }] });
  const at = (n: number): string => growthChart(session(1, { turns: [turn(1, 0, 0, rest(n))] }), 800);
  assert.match(at(0), /class="sent" d="M/);
  assert.doesNotMatch(at(2_500), /class="sent"/);
  const mixed = session(2, { turns: [turn(1, 0, 0, rest(2_500)), turn(2, 0, 0, rest(0))] });
  assert.equal(growthChart(mixed, 800).match(/class="sent" d="([^"]*)"/)?.[1]?.match(/M/g)?.length, 2, 'the line is in all turns if something is saved in one');
  assert.doesNotMatch(turnCard(mixed, 0), /shortened/);
  assert.match(textOf(shown(mixed)), /\|unaccounted for: measured by the provider beyond what is recorded, such as reasoning, of which agents keep a summary; or our estimates are too low\|/);
  const both = session(1, { turns: [turn(1, 0, 0, { ...rest(1_000), held: about(30_000) })] });
  assert.match(turnCard(both, 0), /shortened by ctxledger<\/dt><dd>≈20,000 tokens \+ ≈1,000 unaccounted for</);
  assert.match(growthChart(both, 800), new RegExp(`class="sent" d="M44 ${layoutOf(both, 800).level(21_000)}h`), 'it is not saved');
  assert.match(shown(session(1, { own: [{ name: 'unaccounted for', tokens: about(9) }] })), /Unaccounted for: measured by the provider beyond what is recorded/);
  assert.doesNotMatch(shown(session(2)), /nattributed/);
});

test('what turns cost is below their numbers where there is room', () => {
  const paid = session(3, { turns: [0.5, 0, 12].map((cost_usd, i) => turn(i + 1, 0, 5, { cost_usd })) });
  assert.match(textOf(growthChart(paid, 800)), /\|tokens\|turn\|cost\|1\|\$0\.50\|2\|3\|\$12\.00\|/);
  assert.doesNotMatch(growthChart(paid, 100), /\$/);
  assert.doesNotMatch(growthChart(session(3), 800), />cost</);
  assert.ok(layoutOf(paid, 800).bottom < layoutOf(session(3), 800).bottom);
});

test('the text that every face shows is in the panel, as text', () => {
  const context = session(1, { text: '`██` **7%** — 29k of 400k tokens', more: 'Would be cleared next:\n- Read <b>: ~800' });
  const { words } = viewOf({ kind: 'context', context, asked: live }, 800, 0);
  assert.match(words, /<pre>`██` \*\*7%\*\* — 29k of 400k tokens\n\nWould be cleared next:\n- Read &lt;b&gt;: ~800<\/pre>/);
  assert.equal(viewOf({ kind: 'context', context: session(1, {}), asked: live }, 800, 0).words, '');
});
