import assert from 'node:assert';
import { test } from 'node:test';
import { habitFigures, memoryFigures, sessionFigures } from '../src/firstFigures';
import type { CarriedPart, Context, Host, Turn } from '../src/protocol';

const count = (n: number, exact = true) => ({ n, exact, upper: n });
process.env['TZ'] = 'UTC';

const turn = (number: number, cost_usd: number): Turn => ({
  turn: number, seq: number, time: '2026-11-20T11:05:00Z', request: 'mend it', used: count(0), held: count(0), own: [], changed: [], compacted: '', restored: '', cost_usd,
});
const context: Context = {
  session: 'ab12', title: 'Fix the cart', host: 'claude-code', model: 'claude-sonnet-4-5', live: false, unknown: '', followOff: '', window: 200_000,
  windowFrom: '', compactsAt: 0, compactsFrom: '', threshold: 0,
  used: count(0), fixed: null, measured: 0, held: count(63_250, false), counting: '', saved: count(0), summary: '',
  dollars: 0.4213, next: 'each further request pays ≈$0.019 for the window, uncached', categories: [], own: [], sources: [], turns: [turn(1, 0.02), turn(2, 0.4)], earlier: 0,
};
const part: CarriedPart = { kind: 'memory', name: 'CLAUDE.md', path: '/w/CLAUDE.md', carried: count(1080), later: count(0) };
const host: Host = { name: 'claude-code', title: 'Claude Code', parts: [part], carried: count(1500), unknown: 0 };

/** Returns what is to be read on a page: Markdown without the escapes. */
const words = (text: string): string => text.replace(/\\([^\w\s])/g, '$1');

test('the last session is shown with its cost', () => {
  const full = sessionFigures(context, 'Read 3 past sessions.');
  assert.equal(words(full.text), `# What Your Last Finished Session Cost

Read 3 past sessions.

**Fix the cart**

2026-11-20 11:05 · Claude Code · claude-sonnet-4-5 · 2 turns

- **Cost**: $0.42, at list prices
- **Context window at the end**: ≈63,250 of 200,000 tokens (≈31.6%)
- **Most expensive turn**: turn 2, $0.40: “mend it”

Click a session in the *Ledger* view to see it turn by turn.
`);
  assert.ok(full.found);
  const live = { ...context, session: 'cd34', title: 'Fill the cart', live: true };
  assert.match(words(sessionFigures(context, '', live).text), /turn by turn\.\n\nYour current session, \*\*Fill the cart\*\*: \$0\.42 so far, at list prices\. A click on `ctx`/);
  assert.doesNotMatch(sessionFigures(context, '', { ...live, session: context.session }).text, /current session/);
  const unpriced = words(sessionFigures({ ...context, live: true, title: '', dollars: null, next: '', window: 0 }).text);
  assert.match(unpriced, /^# What Your Session Has Cost So Far\n.*\*\*Session ab12\*\*\n\nlive now · Claude Code · .*Cost\*\*: unknown: the session has no record of what its provider measured\n.*: ≈63,250 tokens\n/s);
  assert.doesNotMatch(unpriced, /From now on/);
  const besides = 'its system prompt and tools come on top of that, and have not been measured yet';
  assert.match(words(sessionFigures({ ...context, besides }).text), new RegExp(`≈63,250 of 200,000 tokens \\(≈31\\.6%\\); ${besides}\n`));
  assert.match(words(sessionFigures({ ...context, live: true }).text), /\$0\.42 so far, .*- \*\*From now on\*\*: each further request pays ≈\$0\.019 for the window, uncached\n/s);
  assert.doesNotMatch(sessionFigures({ ...context, turns: [turn(1, 0.42)] }).text, /Most expensive turn/);
  assert.match(words(sessionFigures({ ...context, unpriced: '9 tokens of foo without a known price' }).text), /list prices, and 9 tokens of foo/);
});

test('without a session the page says so, and is not what was asked for', () => {
  const { text, found } = sessionFigures({ ...context, session: '' });
  assert.match(text, /No session is recorded here yet\./);
  assert.equal(found, false);
  const off = sessionFigures({ ...context, session: '', unknown: 'the setting ctxledger.live is off' });
  assert.match(words(off.text), /No session is recorded here yet: the setting ctxledger\.live is off\./);
  const followOff = 'ctxledger.yaml:1 says follow: false; to have sessions followed, remove that line or set it to true';
  const none = { ...context, session: '', unknown: followOff, followOff };
  const pages = [sessionFigures(none), sessionFigures(none, `No sessions were read: ${followOff}.`)].map(({ text }) => words(text));
  for (const page of pages) {
    assert.equal(page.split(followOff).length, 2, page);
    assert.doesNotMatch(page, /appear on their own/);
  }
});

test('a page has no markup of titles', () => {
  const { text } = sessionFigures({ ...context, title: '![x](http://h/x.png) | <b>$1 and $2' }, 'No *x*.');
  assert.match(text, /No \\\*x\\\*\\\./);
  assert.match(text, /\*\*\\!\\\[x\\\]\\\(http\\:\/\/h\/x\\\.png\\\) \\\| &lt;b\\>\\\$1 and \\\$2\*\*\n/);
});

test('CLAUDE.md is shown with what it imports, and others where it is not', () => {
  const imports = [{ ...part, name: 'README.md', carried: count(20, false), imports: [{ ...part, name: 'a.md', carried: count(13) }] }];
  const figures = (...hosts: Host[]) => memoryFigures({ hosts });
  const claude = figures({ ...host, parts: [{ ...part, imports, heaviest: 'Tests', share: 0.571 }] });
  assert.deepEqual([claude.title, claude.found], ['What CLAUDE.md Costs', true]);
  assert.match(words(claude.text), /sends CLAUDE.md with \*\*every\*\* request.*\| \*\*1,080\*\* \|\n\| with its imports \| ≈1,113 \|\n\| everything .* \| 1,500 \|\n\nThe longest section, \*\*Tests\*\*, is 57% of the file\./s);
  assert.doesNotMatch(claude.text, /\bcost\b|⚠/);
  const missing = { ...part, cost_usd: 0.05, imports: [{ ...part, cost_usd: 0.2, problems: [{ message: 'there is no file a.md' }] }] };
  const paid = words(figures({ ...host, cost_usd: 1.5, paid_by: '2 requests', parts: [missing] }).text);
  assert.match(paid, /\| tokens \| cost this session \|\n.*\n.*\| ≈\$0\.05 \|\n.*\| ≈\$0\.25 \|\n.*\| ≈\$1\.50 \|\n\n.*at list prices, over 2 requests\.\n\n- ⚠ There is no file a\.md\n/);
  const codex = { ...host, title: 'Codex', parts: [{ ...part, name: 'docs/AGENTS.md', path: '/w/docs/AGENTS.md', carried: count(5000) }] };
  assert.equal(figures(codex, host).title, 'What CLAUDE.md Costs', 'the one that is asked for');
  assert.match(words(figures({ ...host, parts: [{ ...part, path: '/h/.claude/CLAUDE.md', carried: count(9) }, part] }).text), /\*\*1,080\*\*/);
  assert.equal(figures(codex).title, 'What AGENTS.md Costs');
  assert.match(words(figures(codex).text), /^# What AGENTS\.md Costs\n\nCodex sends docs\/AGENTS\.md /);
  assert.equal(figures({ ...host, parts: [{ ...part, kind: 'skill' }, { ...part, unknown: true }] }).found, false);
});

test('what everything cost ends with the habits, each with what to do', () => {
  const habits = [{ cost: '≈$1.20', tokens: '≈3.10 M', name: 'files read again', advice: 'compact (`ctxledger context`) less' }];
  const { text, found } = habitFigures({ sessions: 6, said: '6 sessions on this machine cost $5.36 at list prices.', habits });
  assert.match(words(text), /\*\*6 sessions on this machine cost \$5\.36 .*They do not overlap.*\n1\. \*\*≈\$1\.20\*\*, ≈3\.10 M tokens: files read again\n\n {3}\*What to do:\* compact \(`ctxledger context`\) less\.\n/s);
  assert.match(text, /≈\\\$1/, 'two dollars would be a formula');
  assert.ok(found);
  const none = habitFigures({ sessions: 0, said: 'No coding agent has left a session on this machine yet.' });
  assert.equal(none.found, false);
  assert.doesNotMatch(none.text, /\|/);
});
