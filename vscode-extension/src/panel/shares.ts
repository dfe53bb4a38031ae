// What a window is made of, as the pieces of a bar and the lines of a table.
import type { Category, Count } from '../protocol';
import { inTokens, sayCount, sayTokens } from '../text';
import type { Piece } from './bar';
import { sayShare } from './figures';
import { element, escape } from './html';
import { aboutOf, fillOf, stacked } from './palette';

/** One part of a bar, and one line of a table. */
export interface Share {
  readonly name: string;
  readonly n: number;
  readonly exact: boolean;
}

/** Returns what categories are, in the order of a bar. */
export function sharesOf(categories: readonly Category[]): Share[] {
  const all = new Map(categories.map(({ name, tokens }) => [name, { name, n: tokens.n, exact: tokens.exact }]));
  return stacked(all.keys()).flatMap((name) => all.get(name) ?? []).filter((share) => share.n > 0);
}

/** Returns the pieces of a bar, with their shares of a whole. */
export function piecesOf(shares: readonly Share[], whole: number): Piece[] {
  return shares.map(({ name, n, exact }) => ({
    fill: fillOf(name), n, words: `${name}: ${inTokens({ n, exact })}, ${sayShare(n, whole)}`,
  }));
}

/** Returns a table of shares, the largest first, with their total. */
export function table(shares: readonly Share[], total: Count, window: number): string {
  const whole = window > 0 ? window : total.n;
  const largest = [...shares].sort((a, b) => b.n - a.n);
  const rows = largest.map(({ name, n, exact }) =>
    line(swatch(`part ${fillOf(name)}`), name, sayTokens(n, exact), sayShare(n, whole), undefined, aboutOf(name)));
  if (shares.length > 1) {
    rows.push(line('', 'total', sayCount(total), sayShare(total.n, whole), 'sum'));
  }
  const figures = ['tokens', window > 0 ? 'of the window' : 'share'];
  const head = element('tr', {}, element('td'), element('th', { scope: 'col' }, 'contents'),
    ...figures.map((name) => element('th', { scope: 'col', class: 'number' }, name)));
  return element('table', { class: 'legend' }, element('thead', {}, head), element('tbody', {}, ...rows));
}

/** Returns a line of a table of shares. */
function line(sample: string, name: string, figure: string, share: string, kind?: string, about?: string): string {
  return element('tr', { class: kind },
    element('td', { class: 'swatch' }, sample), element('th', { scope: 'row', title: about }, escape(name)),
    element('td', { class: 'number' }, figure), element('td', { class: 'number' }, share));
}

/** Returns the sample of a fill. */
export function swatch(fill: string): string {
  return element('svg', { width: 14, height: 14, 'aria-hidden': 'true' },
    element('rect', { class: fill, x: 1, y: 1, width: 12, height: 12 }));
}
