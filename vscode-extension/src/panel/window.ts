// The top of the panel: what fills the window now, as one bar and as a table.
import type { Context } from '../protocol';
import { sayCount, sayShare, sayTokens } from './figures';
import { element, escape } from './html';
import { beside, fillOf, stacked } from './palette';

/** One part of the bar, and one line of the table. */
interface Share {
  readonly name: string;
  readonly n: number;
  readonly exact: boolean;
}

/** Returns what fills the window. */
export function windowSection(context: Context): string {
  const shares = sharesOf(context);
  const taken = shares.reduce((sum, share) => sum + share.n, 0);
  return element('section', { 'aria-labelledby': 'now' },
    element('h2', { id: 'now' }, 'In the window now'),
    headline(context, taken),
    bar(context, shares, taken),
    element('div', { class: 'beside' }, table(context, shares, taken), notes(context)));
}

/** Returns what fills the window, in the order of the bar. */
function sharesOf(context: Context): Share[] {
  const all = new Map(context.categories.map(({ name, tokens }) => [name, { name, n: tokens.n, exact: tokens.exact }]));
  if (context.fixed !== null && context.fixed.n > 0) {
    all.set(beside, { name: beside, n: context.fixed.n, exact: context.fixed.exact });
  }
  return stacked(all.keys()).flatMap((name) => all.get(name) ?? []).filter((share) => share.n > 0);
}

function headline({ used, fixed, window }: Context, taken: number): string {
  const exact = used.exact && fixed === null;
  const figure = element('strong', {}, sayTokens(taken, exact));
  if (window === 0) {
    return element('p', { class: 'headline' }, `${figure} tokens`);
  }
  const share = element('strong', {}, (exact ? '' : '≈') + sayShare(taken, window));
  return element('p', { class: 'headline' }, share, ` · ${figure} of ${sayTokens(window, true)} tokens`);
}

/** Returns the bar. Its places are percentages, so that it fits every width. */
function bar({ window, threshold }: Context, shares: readonly Share[], taken: number): string {
  const whole = Math.max(window, taken, 1);
  const at = (n: number): string => `${((100 * n) / whole).toFixed(3)}%`;
  let from = 0;
  const parts = shares.map((share) => {
    const x = from;
    from += share.n;
    return element('rect', { class: `part ${fillOf(share.name)}`, x: at(x), y: 8, width: at(share.n), height: 26 },
      element('title', {}, escape(`${share.name}: ${sayTokens(share.n, share.exact)} tokens, ${sayShare(share.n, whole)}`)));
  });
  const marks = [
    threshold > 0 && threshold < whole ? mark(at(threshold), 'threshold', `a compaction is due above ${sayTokens(threshold, true)} tokens`) : '',
    window > 0 && taken > window ? mark(at(window), 'limit', `the window ends at ${sayTokens(window, true)} tokens`) : '',
  ];
  return element('svg', { class: 'bar', width: '100%', height: 42, role: 'img', 'aria-label': spoken(shares, taken, window) },
    element('rect', { class: 'room', x: 0, y: 8, width: '100%', height: 26 }, window > taken ? element('title', {}, `free: ${sayTokens(window - taken, false)} tokens`) : ''),
    ...parts, ...marks);
}

function mark(x: string, kind: string, words: string): string {
  return element('g', { class: `mark ${kind}` }, element('title', {}, words),
    element('line', { class: 'halo', x1: x, x2: x, y1: 2, y2: 40 }),
    element('line', { x1: x, x2: x, y1: 2, y2: 40 }));
}

function spoken(shares: readonly Share[], taken: number, window: number): string {
  const parts = shares.map((share) => `${share.name} ${sayTokens(share.n, share.exact)}`).join(', ');
  return `${sayTokens(taken, false)}${window > 0 ? ` of ${sayTokens(window, true)}` : ''} tokens: ${parts}`;
}

function table(context: Context, shares: readonly Share[], taken: number): string {
  const { window, threshold, used, fixed } = context;
  const whole = window > 0 ? window : taken;
  const line = (swatch: string, name: string, figure: string, share: string, kind?: string): string =>
    element('tr', { class: kind }, element('td', { class: 'swatch' }, swatch), element('th', { scope: 'row' }, escape(name)),
      element('td', { class: 'number' }, figure), element('td', { class: 'number' }, share));
  const largest = [...shares].sort((a, b) => b.n - a.n);
  const rows = largest.map((s) => line(swatch(`part ${fillOf(s.name)}`), s.name, sayTokens(s.n, s.exact), sayShare(s.n, whole)));
  if (shares.length > 1) {
    rows.push(line('', 'together', sayTokens(taken, used.exact && fixed === null), sayShare(taken, whole), 'sum'));
  }
  if (window > 0) {
    const free = Math.max(0, window - taken);
    rows.push(line(swatch('room'), 'free', sayTokens(free, used.exact && fixed === null), sayShare(free, window)));
  }
  if (threshold > 0) {
    rows.push(line(dash('threshold'), 'compaction due above', sayTokens(threshold, true), window > 0 ? sayShare(threshold, window) : ''));
  }
  const head = element('tr', {}, element('td'), element('th', { scope: 'col' }, 'what'),
    element('th', { scope: 'col', class: 'number' }, 'tokens'), element('th', { scope: 'col', class: 'number' }, window > 0 ? 'of the window' : 'share'));
  return element('table', { class: 'legend' }, element('thead', {}, head), element('tbody', {}, ...rows));
}

/** Returns the sample of a fill. */
export function swatch(fill: string): string {
  return element('svg', { width: 14, height: 14, 'aria-hidden': 'true' }, element('rect', { class: fill, x: 1, y: 1, width: 12, height: 12 }));
}

/** Returns the sample of a line. */
export function dash(kind: string): string {
  return element('svg', { class: `mark ${kind}`, width: 14, height: 14, 'aria-hidden': 'true' }, element('line', { x1: 7, x2: 7, y1: 0, y2: 14 }));
}

/** Returns what the figures rest on, and what they leave out. */
function notes({ window, model, measured, fixed, saved, counting, summary }: Context): string {
  const said = [
    window > 0 ? '' : `The window of ${model === '' ? 'the model, which is not known,' : escape(model)} is not known.`,
    measured > 0 ? `The provider measured ${sayTokens(measured, true)} tokens for the newest request with its answer.` : '',
    fixed === null ? '' : 'What the system prompt and the tools take was measured on the first request.',
    saved.n > 0 ? `${summary === '' ? 'Stubs and edits' : 'Stubs, edits and the summary'} keep ${sayCount(saved)} tokens out.` : '',
    basis(counting),
  ];
  return element('div', { class: 'notes' }, ...said.filter((line) => line !== '').map((line) => element('p', {}, line)));
}

/** Says what counts rest on. */
function basis(counting: string): string {
  if (counting === 'exact') {
    return 'Counts are exact.';
  }
  const learnt = /^calibrated\((\d+)\)$/.exec(counting)?.[1];
  return learnt === undefined ? '≈ marks estimates.' : `≈ marks estimates, which rest on ${sayTokens(Number(learnt), true)} measurements.`;
}
