// What is said of one turn: its figures, exact.
import type { Context, Part, Turn } from '../protocol';
import { sayCount, sayTime, sayTokens } from './figures';
import { element, escape } from './html';
import { fillOf, stacked } from './palette';
import { swatch } from './window';

/** Returns the words about a turn in one line, for a screen reader. */
export function spokenTurn(context: Context, index: number): string {
  const turn = context.turns[index];
  if (turn === undefined) {
    return '';
  }
  const said = [`turn ${turn.turn}`, turn.request, `${sayCount(turn.used)} tokens in the view`, `${signed(change(context, index), turn)} since the turn before`, cut(turn)];
  return said.filter((part) => part !== '').join(', ');
}

/** Returns the figures of a turn. */
export function turnCard(context: Context, index: number): string {
  const turn = context.turns[index];
  if (turn === undefined) {
    return '';
  }
  const when = sayTime(turn.time);
  const facts: [string, string][] = [
    ['in the view', `${sayCount(turn.used)} tokens`],
    [index === 0 && context.earlier === 0 ? 'brought' : 'change', signed(change(context, index), turn)],
  ];
  if (turn.measured > 0) {
    facts.push(['measured', `${sayTokens(turn.measured, true)} tokens`]);
  }
  if (removed(context, index) > 0) {
    facts.push(['taken out', sayTokens(removed(context, index), turn.used.exact)]);
  }
  return element('div', { class: 'turn' },
    element('p', { class: 'request' }, element('span', { class: 'which' }, `Turn ${turn.turn}`), when === '' ? '' : element('time', {}, when),
      element('span', { class: 'words' }, escape(requestOf(turn)))),
    cut(turn) === '' ? '' : element('p', { class: 'event' }, escape(cut(turn)), ' ', link(turn)),
    element('dl', { class: 'facts' }, ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)))),
    added(turn));
}

function requestOf(turn: Turn): string {
  if (turn.turn === 0) {
    return 'before the first request';
  }
  return turn.request === '' ? 'a request without words, or a forgotten one' : turn.request;
}

/** Says what was compacted in a turn, or taken back. */
function cut(turn: Turn): string {
  const said = [turn.compacted === '' ? '' : `▼ compacted into summary ${turn.compacted}`, turn.restored === '' ? '' : `▲ summary ${turn.restored} was taken back`];
  return said.filter((part) => part !== '').join(', ');
}

function link(turn: Turn): string {
  const id = turn.compacted === '' ? turn.restored : turn.compacted;
  return element('button', { class: 'link', 'data-summary': id }, 'Open it');
}

/** Returns by how much the view is larger than at the end of the turn before. */
function change(context: Context, index: number): number {
  return (context.turns[index]?.used.n ?? 0) - (context.turns[index - 1]?.used.n ?? 0);
}

/** Returns how much of the view went in a turn: by a compaction, edits, or going back to an earlier message. */
function removed(context: Context, index: number): number {
  const turn = context.turns[index];
  if (turn === undefined || (index === 0 && context.earlier > 0)) {
    return 0;
  }
  const brought = turn.added.reduce((sum, part) => sum + part.tokens, 0);
  const gone = brought - change(context, index);
  return gone > 2 ? gone : 0; // estimates are rounded
}

function signed(n: number, turn: Turn): string {
  return `${n < 0 ? '−' : '+'}${sayTokens(Math.abs(n), turn.used.exact)}`;
}

/** Returns what a turn brought, in the order of the stack from above. */
function added(turn: Turn): string {
  const by = new Map(turn.added.map((part): [string, Part] => [part.name, part]));
  const items = stacked(by.keys()).reverse().flatMap((name) => by.get(name) ?? []).map((part) =>
    element('li', {}, swatch(`part ${fillOf(part.name)}`), element('span', { class: 'number' }, `+${sayTokens(part.tokens, turn.used.exact)}`), escape(part.name)));
  return items.length === 0 ? '' : element('ul', { class: 'added', 'aria-label': 'what the turn brought' }, ...items);
}
