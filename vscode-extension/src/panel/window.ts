// The panel's two windows: what the agent's own holds now, and, for comparison, ctxledger's shorter copy.
import type { Category, Context } from '../protocol';
import { capital, inTokens, plural, sayCount, sayTokens } from '../text';
import { bar } from './bar';
import { sayShare } from './figures';
import { apart, heldBar, heldHead, unattributed, viewCount, viewHead, wholeOf } from './held';
import { element } from './html';
import { aboutOf, beside, besideConversation, earlier, unexplained } from './palette';
import { piecesOf, sharesOf, table } from './shares';

/** Returns the top of the panel: the agent's own window, and what can be done about it. */
export function windowSection(context: Context): string {
  const own = sharesOf(context.own);
  const parts = own.length === 0 ? '' : table(own, context.held, context.window);
  return element('section', { 'aria-labelledby': 'now' }, heldHead(context), heldBar(context, own), parts,
    element('p', { class: 'basis' }, restsOn(context)),
    actions(
      ['resume', 'Start a Compacted Session', 'Writes a shorter copy of this session and says in a terminal how to resume it. This session stays as it is.'],
      ['handoff', 'Copy for a New Chat', 'Copies what a new chat needs to go on from here. Nothing is changed.']));
}

/** Returns the comparison: the session as ctxledger shortens it. Where that is much the same there is nothing to draw. */
export function sentSection(context: Context): string {
  return element('section', { 'aria-labelledby': 'view' }, viewHead(context), apart(context) ? viewBar(context) : '',
    notes(context), actions(
      ['compact', 'Compact Session', 'Replaces older turns with a summary in ctxledger\'s copy. “Restore Compacted Turns…” undoes it. The running agent keeps its window.']));
}

/** Returns buttons with what each does, none of which stands out: what a newcomer wants is to look. */
function actions(...buttons: readonly (readonly [wish: string, words: string, about: string])[]): string {
  return element('div', { class: 'actions' }, ...buttons.flatMap(([wish, words, about]) => [
    element('button', { class: 'second', 'data-wish': wish, 'aria-describedby': `about-${wish}` }, words), element('span', { id: `about-${wish}` }, about)]));
}

/** Returns what a request has besides the conversation, in the parts that the agent's window has of it where these are all of it. */
function besides({ own, fixed }: Context): readonly Category[] {
  if (fixed === null) {
    return [];
  }
  const parts = own.filter(({ name }) => besideConversation.includes(name));
  return parts.reduce((sum, { tokens }) => sum + tokens.n, 0) === fixed.n ? parts : [{ name: beside, tokens: fixed }];
}

/** Returns what the view is made of, as a bar and a table. */
function viewBar(context: Context): string {
  const { window, threshold, categories, used: { exact } } = context;
  const shares = sharesOf([...categories, ...besides(context)]);
  const whole = wholeOf(context);
  const parts = shares.map((share) => `${share.name} ${sayTokens(share.n, share.exact)}`).join(', ');
  const label = `${sayCount(viewCount(context))}${window > 0 ? ` of ${sayTokens(window, true)}` : ''} tokens: ${parts}`;
  const share = window > 0 ? ` (${sayShare(threshold, window)})` : '';
  const limit = `${inTokens({ n: threshold, exact })}${share}`;
  const due = { at: threshold, words: viewCount(context).n > threshold ? `ctxledger would compact this now: it is above ${limit}` : `ctxledger compacts this once it is above ${limit}` };
  const key = threshold === 0 ? '' : element('p', { class: 'key' }, dash('threshold'), `${due.words}. How full the agent's own window is does not matter.`);
  return bar({ pieces: piecesOf(shares, window > 0 ? window : whole), whole, window, due, label }) + key +
    table(shares, viewCount(context), window);
}

/** Returns the sample of a line. */
export function dash(kind: string): string {
  return element('svg', { class: `mark ${kind}`, width: 14, height: 14, 'aria-hidden': 'true' },
    element('line', { x1: 7, x2: 7, y1: 0, y2: 14 }));
}

/** Says why ctxledger's view is smaller: by how much, its head says. */
function notes({ saved, summary }: Context): string {
  const keepers = 'A stub is a short note in place of a large result, which the ledger keeps.' + (summary === '' ? '' : ' The summary stands for older turns.');
  return saved.n > 0 ? element('p', { class: 'basis' }, keepers) : '';
}

/** Says what the parts of the window rest on. */
function restsOn(context: Context): string {
  const { fixed, counting, own } = context;
  const front = own.some(({ name }) => name === earlier) ? 'The record begins in the middle of the session: what came before is known from the first request, which was measured, with the system prompt and tools in it. '
    : 'The system prompt, tools and memory files are estimated from the first request, which was measured. ';
  return (fixed === null ? '' : front) + basis(counting, own.every(({ tokens }) => tokens.exact)) +
    (unattributed(context) > 0 ? ` ${capital(unexplained)}: ${aboutOf(unexplained)}.` : '');
}

/** Says what counts rest on. */
function basis(counting: string, exact: boolean): string {
  if (counting === 'exact') {
    return exact ? 'Counts are exact.' : '≈ marks parts that were counted exactly and then scaled to the size that the provider measured.';
  }
  const learnt = /^calibrated\((\d+)\)$/.exec(counting)?.[1];
  if (learnt === undefined) {
    return '≈ marks rough estimates, not calibrated yet.';
  }
  return `≈ marks estimates, calibrated on ${plural(Number(learnt), 'request')}.`;
}
