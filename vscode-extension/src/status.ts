// What the status bar says, as plain values.
import type { Count, Status } from './protocol';
import type { ServerState } from './server';
import { commas, escapeIcons, escapeMarkdown, oneLine } from './text';

/** From these shares of the window on, in percent, the background warns. */
const warnFrom = 70;
const alarmFrom = 90;

const longestModel = 32;
const longestProblem = 60;

/** One entry of the status bar. */
export interface Entry {
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  readonly colour: 'plain' | 'warning' | 'error';
  /** The command that a click runs. */
  readonly command: string;
}

/** Returns what the status bar says; nothing when no session lives and nothing is wrong. */
export function entryOf(state: ServerState, status: Status | undefined): Entry | undefined {
  switch (state.kind) {
    case 'missing':
      return missing(state.named);
    case 'failed':
      return wrong(state.why, 'The log says more; the command “Restart Language Server” tries again.', 'ctxledger.showLog');
    case 'running':
      break;
    default:
      return undefined;
  }
  if (status === undefined) {
    return undefined;
  }
  if (status.problem !== '') {
    return wrong(status.problem, status.hint, 'ctxledger.showPanel');
  }
  return status.session === '' ? undefined : session(status);
}

/** Returns the share of a window in whole percent, rounded down; undefined without a window. */
export function shareOf(used: Count, window: number): number | undefined {
  return window > 0 ? Math.floor((100 * used.n) / window) : undefined;
}

/** Returns a count as it is everywhere in ctxledger: ≈ when it is an estimate. */
export function sayCount(count: Count): string {
  return mark(count) + commas(count.n);
}

function mark(count: Count): string {
  return count.exact ? '' : '≈';
}

function missing(named: string): Entry {
  const why = named === '' ? 'ctxlsp was not found' : `${named} cannot be run`;
  const hint = named === '' ? 'Click for how to get it.' : 'Correct the setting ctxledger.server.path, or click for how to get ctxlsp.';
  return wrong(why, hint, 'ctxledger.getPrograms');
}

function wrong(problem: string, hint: string, command: string): Entry {
  const text = oneLine(problem, longestProblem);
  return {
    text: `$(warning) ctxledger: ${escapeIcons(text)}`,
    tooltip: [oneLine(problem, 500), oneLine(hint, 500)].map(escapeMarkdown).filter((line) => line !== '').join('\n\n'),
    spoken: `ctxledger: ${text}`,
    colour: 'plain',
    command,
  };
}

function session(status: Status): Entry {
  const all = together(status);
  const share = shareOf(all, status.window);
  const model = oneLine(status.model, longestModel);
  const figure = share === undefined ? `${sayCount(all)} tokens` : `${mark(all)}${share} %`;
  return {
    text: `$(dashboard) ${escapeIcons([figure, model].filter((part) => part !== '').join(' '))}`,
    tooltip: table(status, all, share),
    spoken: share === undefined ? `context: ${figure}, ${model}` : `context ${share} percent full, ${model}`,
    colour: colourOf(share),
    command: 'ctxledger.showPanel',
  };
}

/** Returns the colour of a share of the window. */
export function colourOf(share: number | undefined): Entry['colour'] {
  if (share === undefined || share < warnFrom) {
    return 'plain';
  }
  return share < alarmFrom ? 'warning' : 'error';
}

/** Returns what a request takes of the window: the view, and what is carried besides, as far as that was measured. */
function together({ used, fixed }: Status): Count {
  return fixed.n === 0 ? used : { n: used.n + fixed.n, exact: used.exact && fixed.exact, upper: used.upper + fixed.upper };
}

function table(status: Status, all: Count, share: number | undefined): string {
  const { used, fixed, window } = status;
  const rows: [string, string][] = [];
  if (fixed.n > 0) {
    rows.push(['conversation', `${sayCount(used)} tokens`], ['system prompt and tools', `${sayCount(fixed)} tokens`]);
  }
  rows.push(['in the window', `${sayCount(all)} tokens`]);
  if (!all.exact && all.upper > 0) {
    rows.push(['at most', `${commas(all.upper)} tokens`]);
  }
  if (share !== undefined) {
    const free = { ...all, n: Math.max(0, window - all.n) };
    rows.push(['window', `${commas(window)} tokens`], ['share', `${mark(all)}${share} %`], ['free', `${sayCount(free)} tokens`]);
  }
  if (status.model !== '') {
    rows.push(['model', oneLine(status.model, 100)]);
  }
  rows.push(['session', oneLine(status.session, 100)]);
  const lines = rows.map(([name, value]) => `| ${name} | ${escapeMarkdown(value)} |`);
  const title = status.title === '' ? 'Live session' : escapeMarkdown(oneLine(status.title, 120));
  return [`**${title}**`, '', '| | |', '|:--|--:|', ...lines].join('\n');
}
