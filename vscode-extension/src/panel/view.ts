// The panel as markup, from what the server answered.
import type { Context, PanelNews } from '../protocol';
import { plural, wholeWords } from '../text';
import { empty, troubled } from './empty';
import { growthChart, sentApart } from './growth';
import { element, escape } from './html';
import { unattributed } from './held';
import { aboutOf, agentName, fillOf, unexplained } from './palette';
import { swatch } from './shares';
import { sourcesSection } from './sources';
import { turnCard } from './turn';
import { dash, sentSection, windowSection } from './window';
import { wordsSection } from './words';

/** The parts of the panel, by the ids of the elements that hold them. */
export interface View {
  readonly head: string;
  readonly window: string;
  readonly growth: string;
  readonly keys: string;
  readonly turn: string;
  readonly sources: string;
  readonly sent: string;
  readonly words: string;
}

const nothing: View = { head: '', window: '', growth: '', keys: '', turn: '', sources: '', sent: '', words: '' };

/** Returns the panel for a width in pixels, with one turn chosen, by its index. */
export function viewOf(news: PanelNews, width: number, chosen: number): View {
  if (news.kind === 'trouble') {
    return { ...nothing, head: troubled('The ledger cannot be read', news) };
  }
  if (news.kind === 'nowhere') {
    return { ...nothing, head: empty('No folder is open', ['A ledger belongs to a folder: open the one that your agent works in.'],
      element('button', { 'data-wish': 'folder' }, 'Open Folder')) };
  }
  const { context, asked: { session: asked } } = news;
  if (context.session === '') {
    if (context.followOff !== '') {
      return { ...nothing, head: empty('Sessions are not followed here', [`${context.followOff}.`]) };
    }
    const why = context.unknown === '' ? 'While a coding agent works in this folder, this shows what fills its context window. Sessions of Claude Code and Codex are followed automatically.'
      : `Not known: ${context.unknown}.`;
    return { ...nothing, head: empty('No session is recorded here yet', [why, 'Earlier sessions are read when you ask for them.'],
      element('button', { 'data-wish': 'past' }, 'Read Past Sessions')) };
  }
  return {
    head: heading(context, asked), window: windowSection(context),
    growth: context.turns.length === 0 ? '' : growthChart(context, width), keys: keys(context),
    turn: turnCard(context, chosen), sources: sourcesSection(context), sent: sentSection(context),
    words: wordsSection(context),
  };
}

/** The longest title in characters: the rest of it is under the mouse. */
const longestTitle = 80;

function heading({ title, model, host, session, live, turns, earlier, forked = '' }: Context, asked: string): string {
  const facts = [model, agentName(host), plural(turns.length + earlier, 'turn'), `session ${session}`].filter((fact) => fact !== '');
  const state = live
    ? element('span', { class: 'state live' }, 'live')
    : element('span', { class: 'state' }, asked === '' ? 'not live: the latest session' : 'not live');
  return element('h1', { title }, title === '' ? 'A session without a title' : escape(wholeWords(title, longestTitle))) +
    element('p', { class: 'about' }, state, ...facts.map((fact) => element('span', {}, escape(fact)))) +
    (forked === '' ? '' : element('p', { class: 'about' }, element('span', {}, escape(`forked: ${forked}`))));
}

/** Returns what the lines and marks of the chart mean. */
function keys(context: Context): string {
  const { turns, earlier, compactsAt, window } = context;
  const of = (there: boolean, ...content: string[]): string =>
    there ? element('span', { class: 'key' }, ...content) : '';
  return [
    of(sentApart(context), dash('sent'), 'the same, shortened by ctxledger, for comparison'),
    of(compactsAt > 0 && compactsAt !== window, dash('threshold'), 'where the agent compacts automatically'),
    of(turns.some((turn) => unattributed({ ...turn, fixed: context.fixed }) > 0), swatch(`part ${fillOf(unexplained)}`),
      `${unexplained}: ${aboutOf(unexplained)}`),
    of(turns.some((turn) => turn.compacted !== ''), '▼ compacted'),
    of(turns.some((turn) => turn.restored !== ''), '▲ undone'),
    of(turns.some((turn) => turn.host_compacted === true), '◆ compacted by the agent itself'),
    of(earlier > 0, `${plural(earlier, 'earlier turn')} not shown`),
  ].join('');
}
