// Where what fills the window comes from: the most expensive files and tools.
import type { Context, Source } from '../protocol';
import { sayCount } from '../text';
import { plural, sayShare } from './figures';
import { viewCount } from './held';
import { element, escape } from './html';

/** Returns the most expensive files and tools; '' where there are none. */
export function sourcesSection(context: Context): string {
  const { sources } = context;
  if (sources.length === 0) {
    return '';
  }
  const whole = viewCount(context).n;
  return element('section', { 'aria-labelledby': 'expensive' },
    element('h2', { id: 'expensive' }, 'Most expensive files and tools'),
    element('div', { class: 'sources' }, list('file', sources, whole), list('tool', sources, whole)));
}

function list(kind: Source['kind'], sources: readonly Source[], whole: number): string {
  const of = sources.filter((source) => source.kind === kind);
  const most = of[0]?.tokens.n ?? 0;
  if (of.length === 0) {
    return '';
  }
  const rows = of.map((source) => element('tr', {},
    element('th', { scope: 'row' }, nameOf(source)),
    element('td', { class: 'number' }, sayCount(source.tokens)),
    element('td', { class: 'number' }, sayShare(source.tokens.n, whole)),
    element('td', { class: 'number' }, String(source.calls)),
    element('td', { class: 'length', 'aria-hidden': 'true' }, length(source.tokens.n, most))));
  const column = (name: string): string => element('th', { scope: 'col', class: 'number' }, name);
  const head = element('tr', {}, element('th', { scope: 'col' }, kind),
    column('tokens'), column('of the view'), column('calls'), element('td'));
  const label = plural(of.length, kind);
  return element('table', { 'aria-label': label }, element('thead', {}, head), element('tbody', {}, ...rows));
}

/** Returns the name of a source. That of a file is shown as editors do, the directory behind it, and opens it if it can. */
function nameOf({ kind, name, uri }: Source): string {
  if (kind === 'tool') {
    return element('span', { class: 'name', title: name }, escape(name));
  }
  const at = name.lastIndexOf('/') + 1;
  const folder = name.slice(0, Math.max(0, at - 1));
  return element('span', { class: 'name', title: name },
    uri === '' ? escape(name.slice(at)) : element('button', { class: 'link', 'data-file': uri }, escape(name.slice(at))),
    element('span', { class: 'folder' }, escape(folder)));
}

function length(n: number, most: number): string {
  const width = `${((100 * n) / Math.max(1, most)).toFixed(1)}%`;
  return element('svg', { width: '100%', height: 8 }, element('rect', { class: 'length', width, height: 8 }));
}
