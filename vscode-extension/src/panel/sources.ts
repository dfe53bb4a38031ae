// Where what fills the agent's window comes from: the largest files and tools.
import type { Category, Context, Count, Source } from '../protocol';
import { plural, sayCount, sayTokens } from '../text';
import { sayShare } from './figures';
import { element, escape } from './html';
import { ofTools } from './palette';

/** Returns the largest files and tools; '' where there are none. */
export function sourcesSection({ sources, window, held, own, categories }: Context): string {
  if (sources.length === 0) {
    return '';
  }
  const [whole, of] = window > 0 ? [window, 'of the window'] : [held.n, 'share'];
  const shortened = sources.some(isShortened);
  return element('section', { 'aria-labelledby': 'expensive' },
    element('h2', { id: 'expensive' }, 'Largest files and tools in the window'),
    shortened ? element('p', { class: 'basis' },
      '“Shortened” is what ctxledger\'s copy of the session has of each, where that is less. It is a comparison: nothing is sent.') : '',
    element('div', { class: 'sources' }, list('file', sources, { whole, of, shortened }),
      list('tool', sources, { whole, of, shortened, other: otherOf(own, categories, sources) })));
}

/** Reports whether ctxledger's copy has less of a source. */
function isShortened({ tokens, sent }: Pick<Source, 'tokens' | 'sent'>): boolean {
  return sent?.n !== tokens.n;
}

/** How the sources of a kind are listed. */
interface Columns {
  /** What shares are of. */
  readonly whole: number;
  readonly of: string;
  /** Whether ctxledger's copy has less of any. */
  readonly shortened: boolean;
  readonly other?: Other;
}

/** What tools take that are not listed: results and calls of others, in tokens. */
interface Other {
  readonly held: number;
  /** What ctxledger's copy has of them. */
  readonly sent: number;
}

function otherOf(own: readonly Category[], view: readonly Category[], sources: readonly Source[]): Other {
  const sum = (all: readonly (Count | undefined)[]): number => all.reduce((n, tokens) => n + (tokens?.n ?? 0), 0);
  const ofAll = (all: readonly Category[]): number => sum(all.filter(({ name }) => ofTools.includes(name)).map(({ tokens }) => tokens));
  const tools = sources.filter(({ kind }) => kind === 'tool');
  return { held: ofAll(own) - sum(tools.map(({ tokens }) => tokens)), sent: ofAll(view) - sum(tools.map(({ sent }) => sent)) };
}

function list(kind: Source['kind'], sources: readonly Source[], { whole, of, shortened, other }: Columns): string {
  const some = sources.filter((source) => source.kind === kind);
  if (some.length === 0) {
    return '';
  }
  const number = (text: string): string => element('td', { class: 'number' }, text);
  const short = (text: string): string => shortened ? number(text) : '';
  const rows = some.map((source) => element('tr', {},
    element('th', { scope: 'row' }, nameOf(source)),
    number(sayCount(source.tokens)), number(sayShare(source.tokens.n, whole)), number(String(source.calls)),
    short(source.sent === undefined ? '0' : isShortened(source) ? sayCount(source.sent) : ''),
    number(kind === 'tool' || source.artifacts === undefined ? '' : forgets(source.name))));
  if (other !== undefined && other.held > 0) {
    rows.push(element('tr', {}, element('th', { scope: 'row' }, 'other'), number(sayTokens(other.held, false)), number(sayShare(other.held, whole)),
      number('–'), short(other.sent < other.held ? sayTokens(Math.max(0, other.sent), false) : ''), number('')));
  }
  const column = (name: string, few = ''): string => element('th', { scope: 'col', class: `number${few}` }, name);
  const head = element('tr', {}, element('th', { scope: 'col' }, kind),
    column('tokens'), column(of), column('calls', ' few'), shortened ? column('shortened') : '', element('td'));
  const label = plural(some.length, kind);
  return element('table', { 'aria-label': label }, element('thead', {}, head), element('tbody', {}, ...rows));
}

function forgets(file: string): string {
  return element('button', { class: 'link', 'data-forget': file, 'aria-label': `Forget results of ${file}` }, 'Forget…');
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
