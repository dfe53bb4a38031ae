// What the agent's own window holds, which is real, apart from what ctxledger would send instead.
import type { Context, Count } from '../protocol';
import { capital, freeOf, inTokens, mark, sayCount, sayTokens } from '../text';
import { bar, type Piece } from './bar';
import { sayCost, sayShare } from './figures';
import { element, escape } from './html';
import { unexplained } from './palette';
import { piecesOf, type Share } from './shares';

/** Returns the size of a request made by ctxledger: its view and the part of every request that is not the view. */
export function viewCount({ used, fixed }: Pick<Context, 'used' | 'fixed'>): Count {
  return fixed === null ? used : { n: used.n + fixed.n, exact: false, upper: used.upper + fixed.upper };
}

/** From this difference on, as a share of the larger, the view is shown apart from what the agent's window holds. */
const apartFrom = 0.05;

/** What is compared with ctxledger's view: the agent's window, now or at the end of a turn. */
type Compared = Pick<Context, 'held' | 'used' | 'fixed'> & { readonly own: readonly { readonly name: string; readonly tokens: Count | number }[] };

/** Returns what of a window no record explains. */
export function unattributed({ own }: Compared): number {
  const tokens = own.find(({ name }) => name === unexplained)?.tokens ?? 0;
  return typeof tokens === 'number' ? tokens : tokens.n;
}

/** Returns by how much the view is smaller than the agent's window. What no record explains is perhaps in each request: it is no saving. */
function savedOf(compared: Compared): number {
  return compared.held.n - unattributed(compared) - viewCount(compared).n;
}

/** Reports whether the agent's window and ctxledger's view differ by more than the error of estimates. */
export function apart(compared: Compared): boolean {
  return Math.abs(savedOf(compared)) > apartFrom * Math.max(compared.held.n, viewCount(compared).n);
}

/** Returns how much the bars show: all of what is in them, and the window. */
export function wholeOf(context: Context): number {
  return Math.max(context.window, context.held.n, viewCount(context).n, 1);
}

/** Returns how much the agent's window holds, and where that is known from. */
export function heldHead(context: Context): string {
  const { held, window } = context;
  const figure = element('strong', {}, sayCount(held));
  const { free, words: until } = freeOf(context);
  const words = window === 0 ? [figure, ' tokens'] : [
    element('strong', { class: 'share' }, mark(held) + sayShare(held.n, window)), ' · ', figure,
    ` of ${inTokens({ n: window, exact: true })}, ${sayCount(free)} ${until}`,
  ];
  return element('h2', { id: 'now' }, 'In the agent\'s window now') +
    element('p', { class: 'headline' }, ...words) + money(context) + element('p', { class: 'basis' }, basis(context), size(context));
}

/** Says what the window's size rests on and where the agent compacts, and offers to set the size; nothing where no model is known. */
function size({ window, windowFrom, compactsAt, compactsFrom, held, model }: Context): string {
  if (model === '') {
    return '';
  }
  const why = window === 0 ? ' The size of this model\'s context window is not known.' : windowFrom === '' ? '' : ` Window size: ${escape(windowFrom)}.`;
  const left = compactsAt - held.n;
  const compacts = compactsFrom === '' ? '' : compactsAt === 0 ? ` Auto-compact: ${escape(compactsFrom)}.`
    : ` Auto-compact at ${sayTokens(compactsAt, true)} (${escape(compactsFrom)})${left > 0 ? '' : ': due with the next request'}.`;
  return why + compacts + ' ' + element('button', { class: 'link', 'data-wish': 'size' }, 'Change Window Size…');
}

/** Says what the session cost, what of it has no known price, and what its window costs from now on; nothing where nothing was used. */
function money(context: Context): string {
  const { next = '', subagents = '', live } = context;
  const cost = sayCost(context);
  if (cost === '') {
    return '';
  }
  const further = next === '' ? '' : ` ${escape(live ? capital(next) : `If you continue it, ${next}`)}.`;
  const part = subagents === '' ? '' : `; ${escape(subagents)}`;
  return element('p', { class: 'money' }, `${escape(cost)}${part}.${further}`);
}

/** Returns the bar of what the agent's window holds, by what it is made of where that is known. */
export function heldBar(context: Context, shares: readonly Share[]): string {
  const { held, window, measured, compactsAt } = context;
  const known = origin(context) === 'since' ? measured : held.n;
  const pieces: Piece[] = shares.length > 0 ? piecesOf(shares, window > 0 ? window : held.n) : [
    { fill: 'fill-held', n: known, words: `in the agent's window: ${inTokens({ n: known, exact: held.exact })}` },
    { fill: 'fill-since', n: held.n - known, words: `since then: ${inTokens({ n: held.n - known, exact: false })}` },
  ];
  const due = { at: compactsAt, words: `the agent compacts at ${inTokens({ n: compactsAt, exact: true })}` };
  const parts = shares.map(({ name, n, exact }) => `${name} ${sayTokens(n, exact)}`).join(', ');
  const label = `In the agent's window: ${sayCount(held)}${window > 0 ? ` of ${sayTokens(window, true)}` : ''} tokens${parts && `: ${parts}`}`;
  return bar({ pieces: pieces.filter(({ n }) => n > 0), whole: wholeOf(context), window, due, label });
}

/** Returns the head of ctxledger's view. */
export function viewHead(context: Context): string {
  const { held, window, summary, saved } = context;
  const view = viewCount(context);
  const less = savedOf(context);
  const differs = !apart(context) ? 'much the same' : `${sayTokens(Math.abs(less), false)} ${less > 0 ? 'less' : 'more'}` +
    (unattributed(context) > 0 ? `, not counting what is ${unexplained}` : '');
  const share = window > 0 ? [element('strong', {}, mark(view) + sayShare(view.n, window)), ' · '] : [];
  return element('h2', { id: 'view' }, 'The same session, shortened by ctxledger') +
    element('p', { class: 'headline' }, ...share, element('strong', {}, sayCount(view)), ` tokens, ${differs}`) +
    element('p', { class: 'basis' }, (summary !== '' ? 'A summary replaces older turns. ' : saved.n > 0 ? 'Large results are replaced by stubs. ' : '') +
      'This is a comparison: the running agent keeps its own window, and nothing is sent.' +
      (view.n < held.n ? '' : ' Agents also drop content on their own.'));
}

/** Where the figure comes from. */
type Origin = 'measured' | 'since' | 'cut' | 'view';

function origin(context: Context): Origin {
  const { measured, held, cut = '' } = context;
  if (cut !== '' && latest(context) > 0) {
    return 'cut';
  }
  return measured === 0 ? 'view' : held.n === measured ? 'measured' : 'since';
}

/** Returns what the provider measured last, also from before the agent itself compacted; 0: nothing yet. */
function latest({ measured, turns }: Context): number {
  return measured > 0 ? measured : turns.findLast((turn) => (turn.measured ?? 0) > 0)?.measured ?? 0;
}

function basis(context: Context): string {
  const { held, measured } = context;
  const besides = context.besides || 'the provider has not measured anything yet';
  switch (origin(context)) {
    case 'measured':
      return 'As reported in the provider\'s latest response.';
    case 'since':
      return `Reported in the provider's latest response: ${sayTokens(measured, true)}, ` +
        `and ${sayTokens(held.n - measured, false)} more since then.`;
    case 'cut':
      return `Estimated: the provider's latest figure, ${sayTokens(latest(context), true)}, is from before ${escape(context.cut ?? '')}.`;
    case 'view':
      return `${held.exact ? 'Counted' : 'Estimated'} from what ctxledger has recorded: ${escape(besides)}.`;
  }
}
