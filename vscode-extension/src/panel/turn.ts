// What is said of one turn: its figures, exact.
import type { Context, Part, Turn } from '../protocol';
import { commas, inTokens, mark, sayTokens, wholeWords } from '../text';
import { sayPartsOf, sayTime } from './figures';
import { apart, unattributed, viewCount } from './held';
import { element, escape } from './html';
import { fillOf, stacked, unexplained } from './palette';
import { swatch } from './shares';

/** Returns the words about a turn in one line, for a screen reader. */
export function spokenTurn(context: Context, index: number): string {
  const turn = context.turns[index];
  if (turn === undefined) {
    return '';
  }
  const grown = change(context, index);
  const since = grown === undefined ? '' : `${signed(grown, turn.held.exact)} tokens since the previous turn`;
  const said = [`turn ${turn.turn}`, turn.request, `${inTokens(turn.held)} in the window`, since, sayPartsOf(turn), cut(turn)];
  return said.filter((part) => part !== '').join(', ');
}

/** Returns the figures of a turn. */
export function turnCard(context: Context, index: number): string {
  const turn = context.turns[index];
  if (turn === undefined) {
    return '';
  }
  const when = sayTime(turn.time);
  const facts: [string, string][] = [['in the window', inTokens(turn.held)]];
  const grown = change(context, index);
  if (grown !== undefined) {
    facts.push(['change', `${signed(grown, turn.held.exact)} tokens`]);
  }
  const gone = -turn.changed.reduce((sum, part) => sum + Math.min(0, part.tokens), 0);
  if (gone > 0 && turn.host_compacted === true) {
    facts.push(['removed', inTokens({ n: gone, exact: false })]);
  }
  const compared = { ...turn, fixed: context.fixed };
  if (apart(compared)) {
    const rest = unattributed(compared);
    facts.push(['shortened by ctxledger', `${inTokens(viewCount(compared))}${rest > 0 ? ` + ${sayTokens(rest, false)} ${unexplained}` : ''}`]);
  }
  if (sayPartsOf(turn) !== '') {
    facts.push(['cost', sayPartsOf(turn)]);
  }
  return element('div', { class: 'turn' },
    element('p', { class: 'request' },
      element('span', { class: 'which' }, `Turn ${turn.turn}`),
      when === '' ? '' : element('time', {}, when),
      element('span', { class: 'words' }, escape(requestOf(turn)))),
    cut(turn) === '' ? '' : element('p', { class: 'event' }, escape(cut(turn)), ...links(turn)),
    element('dl', { class: 'facts' }, ...facts.map(([name, value]) =>
      element('div', {}, element('dt', {}, name), element('dd', {}, value)))),
    listOf(turn.changed));
}

/** The longest request in characters. */
const longestRequest = 100;

function requestOf(turn: Turn): string {
  if (turn.turn === 0) {
    return 'before the first request';
  }
  return turn.request === '' ? 'no text, or forgotten' : wholeWords(turn.request, longestRequest);
}

/** Says what was compacted in a turn, or undone. */
function cut(turn: Turn): string {
  const held = turn.host_held ?? 0;
  const said = [
    turn.host_compacted === true ? `◆ the agent compacted by itself${held > 0 ? ` at ${inTokens({ n: held, exact: true })}` : ''}` : '',
    turn.compacted === '' ? '' : `▼ compacted into summary ${turn.compacted}`,
    turn.restored === '' ? '' : `▲ summary ${turn.restored} was undone`,
  ];
  return said.filter((part) => part !== '').join(', ');
}

/** Returns what opens the summaries that are named, in the order in which they are. */
function links({ compacted, restored }: Turn): string[] {
  const ids = [compacted, restored].filter((id) => id !== '');
  const words = ids.length === 1 ? ['Open it'] : ['Open the first', 'Open the second'];
  return ids.flatMap((id, i) => [' ', element('button', { class: 'link', 'data-summary': id }, words[i] ?? '')]);
}

/** Returns by how much the agent's window is fuller than at the end of the turn before; nothing where that is not known. */
function change({ turns, earlier, fixed }: Context, index: number): number | undefined {
  const now = turns[index];
  const before = turns[index - 1]?.held.n ?? (earlier > 0 ? undefined : fixed?.n ?? 0);
  return now === undefined || before === undefined ? undefined : now.held.n - before;
}

function signed(n: number, exact: boolean): string {
  return `${mark({ exact: exact || n === 0 })}${n < 0 ? '−' : '+'}${commas(Math.abs(n))}`;
}

/** Returns what a turn changed, in the order of the stack from above. */
function listOf(changes: readonly Part[]): string {
  const by = new Map(changes.map((part): [string, Part] => [part.name, part]));
  const items = stacked(by.keys()).reverse().flatMap((name) => by.get(name) ?? []).map((part) =>
    element('li', {},
      swatch(`part ${fillOf(part.name)}`),
      element('span', { class: 'number' }, signed(part.tokens, false)),
      escape(part.name)));
  return items.length === 0 ? '' : element('ul', { class: 'added', 'aria-label': 'changed in this turn' }, ...items);
}
