// The top of the panel: what the agent's window holds now, and what fills ctxledger's view of it, as bars and a table.
import type { Context } from '../protocol';
import { sayCount, sayTokens } from '../text';
import { bar } from './bar';
import { sayShare } from './figures';
import { apart, heldBar, heldHead, viewCount, viewHead, wholeOf } from './held';
import { element, escape } from './html';
import { beside } from './palette';
import { line, piecesOf, sharesOf, table, type Share } from './shares';

/** Returns the top of the panel. Where both are much the same, the agent's window has the bar of the view. */
export function windowSection(context: Context): string {
  const { window, threshold } = context;
  const shares = viewShares(context);
  const due = threshold > 0
    ? [line(dash('threshold'), 'ctxledger compacts above', sayTokens(threshold, true), sayShare(threshold, window))] : [];
  const view = viewBar(context, shares) +
    element('div', { class: 'beside' }, table(shares, viewCount(context), window, ...due), notes(context));
  if (!apart(context)) {
    return element('section', { 'aria-labelledby': 'now' }, heldHead(context), view, actions);
  }
  const own = sharesOf(context.own);
  const parts = own.length === 0 ? '' : table(own, context.held, window);
  return element('section', { 'aria-labelledby': 'now' }, heldHead(context), heldBar(context, own), parts) +
    element('section', { class: 'view', 'aria-labelledby': 'view' }, viewHead(context), view, actions);
}

/** What can be done about it. */
const actions = element('p', { class: 'actions' },
  element('button', { 'data-wish': 'handoff' }, 'Copy for a New Chat'), ' ',
  element('button', { class: 'second', 'data-wish': 'compact' }, 'Compact'));

/** Returns what fills ctxledger's view, in the order of the bar. */
function viewShares({ categories, fixed }: Context): Share[] {
  return sharesOf(fixed === null ? categories : [...categories, { name: beside, tokens: fixed }]);
}

/** Returns the bar of what the view is made of. */
function viewBar(context: Context, shares: readonly Share[]): string {
  const { window, threshold } = context;
  const whole = wholeOf(context);
  const parts = shares.map((share) => `${share.name} ${sayTokens(share.n, share.exact)}`).join(', ');
  const label = `${sayCount(viewCount(context))}${window > 0 ? ` of ${sayTokens(window, true)}` : ''} tokens: ${parts}`;
  return bar({ pieces: piecesOf(shares, window > 0 ? window : whole), whole, window, threshold, label });
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
    fixed === null ? '' : 'The system prompt and the tools were measured with the first request.',
    saved.n > 0 ? `${keepers} leave out ${sayCount(saved)} tokens.` : '',
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
  return `≈ marks estimates, based on ${sayTokens(Number(learnt), true)} measurements.`;
}
