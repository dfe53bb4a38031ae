// The top of the panel: what the agent's window holds now, and what fills ctxledger's view of it, as bars and a table.
import type { Context } from '../protocol';
import { sayCount, sayTokens } from '../text';
import { bar } from './bar';
import { sayShare } from './figures';
import { apart, heldBar, heldHead, viewCount, viewHead, wholeOf } from './held';
import { element, escape } from './html';
import { beside, fillOf, stacked } from './palette';

/** One part of the bar, and one line of the table. */
interface Share {
  readonly name: string;
  readonly n: number;
  readonly exact: boolean;
}

/** Returns the top of the panel. Where both are much the same, the agent's window has the bar of the view. */
export function windowSection(context: Context): string {
  const shares = sharesOf(context);
  const view = viewBar(context, shares) +
    element('div', { class: 'beside' }, table(context, shares), notes(context));
  if (!apart(context)) {
    return element('section', { 'aria-labelledby': 'now' }, heldHead(context), view);
  }
  return element('section', { 'aria-labelledby': 'now' }, heldHead(context), heldBar(context)) +
    element('section', { class: 'view', 'aria-labelledby': 'view' }, viewHead(context), view);
}

/** Returns what fills the window, in the order of the bar. */
function sharesOf(context: Context): Share[] {
  const all = new Map(context.categories.map(({ name, tokens }) => [name, { name, n: tokens.n, exact: tokens.exact }]));
  if (context.fixed !== null && context.fixed.n > 0) {
    all.set(beside, { name: beside, n: context.fixed.n, exact: context.fixed.exact });
  }
  return stacked(all.keys()).flatMap((name) => all.get(name) ?? []).filter((share) => share.n > 0);
}

/** Returns the bar of what the view is made of. */
function viewBar(context: Context, shares: readonly Share[]): string {
  const { window, threshold } = context;
  const whole = wholeOf(context);
  const pieces = shares.map(({ name, n, exact }) => ({
    fill: fillOf(name), n, words: `${name}: ${sayTokens(n, exact)} tokens, ${sayShare(n, window > 0 ? window : whole)}`,
  }));
  const parts = shares.map((share) => `${share.name} ${sayTokens(share.n, share.exact)}`).join(', ');
  const label = `${sayCount(viewCount(context))}${window > 0 ? ` of ${sayTokens(window, true)}` : ''} tokens: ${parts}`;
  return bar({ pieces, whole, window, threshold, label });
}

function table(context: Context, shares: readonly Share[]): string {
  const { window, threshold } = context;
  const view = viewCount(context);
  const whole = window > 0 ? window : view.n;
  const line = (swatch: string, name: string, figure: string, share: string, kind?: string): string =>
    element('tr', { class: kind },
      element('td', { class: 'swatch' }, swatch), element('th', { scope: 'row' }, escape(name)),
      element('td', { class: 'number' }, figure), element('td', { class: 'number' }, share));
  const largest = [...shares].sort((a, b) => b.n - a.n);
  const rows = largest.map(({ name, n, exact }) =>
    line(swatch(`part ${fillOf(name)}`), name, sayTokens(n, exact), sayShare(n, whole)));
  if (shares.length > 1) {
    rows.push(line('', 'together', sayCount(view), sayShare(view.n, whole), 'sum'));
  }
  if (threshold > 0) {
    rows.push(line(dash('threshold'), 'compaction due above', sayTokens(threshold, true), sayShare(threshold, window)));
  }
  const figures = ['tokens', window > 0 ? 'of the window' : 'share'];
  const head = element('tr', {}, element('td'), element('th', { scope: 'col' }, 'what'),
    ...figures.map((name) => element('th', { scope: 'col', class: 'number' }, name)));
  return element('table', { class: 'legend' }, element('thead', {}, head), element('tbody', {}, ...rows));
}

/** Returns the sample of a fill. */
export function swatch(fill: string): string {
  return element('svg', { width: 14, height: 14, 'aria-hidden': 'true' },
    element('rect', { class: fill, x: 1, y: 1, width: 12, height: 12 }));
}

/** Returns the sample of a line. */
export function dash(kind: string): string {
  return element('svg', { class: `mark ${kind}`, width: 14, height: 14, 'aria-hidden': 'true' },
    element('line', { x1: 7, x2: 7, y1: 0, y2: 14 }));
}

/** Returns what the figures rest on, and what they leave out. */
function notes({ window, model, fixed, saved, counting, summary }: Context): string {
  const keepers = summary === '' ? 'Stubs and edits' : 'Stubs, edits and the summary';
  const said = [
    window > 0 ? '' : `The window of ${model === '' ? 'the model, which is not known,' : escape(model)} is not known.`,
    fixed === null ? '' : 'What the system prompt and the tools take was measured on the first request.',
    saved.n > 0 ? `${keepers} keep ${sayCount(saved)} tokens out.` : '',
    basis(counting),
  ];
  const lines = said.filter((line) => line !== '').map((line) => element('p', {}, line));
  return element('div', { class: 'notes' }, ...lines);
}

/** Says what counts rest on. */
function basis(counting: string): string {
  if (counting === 'exact') {
    return 'Counts are exact.';
  }
  const learnt = /^calibrated\((\d+)\)$/.exec(counting)?.[1];
  if (learnt === undefined) {
    return '≈ marks estimates.';
  }
  return `≈ marks estimates, which rest on ${sayTokens(Number(learnt), true)} measurements.`;
}
