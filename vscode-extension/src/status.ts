// What the status bar says, as plain values.
import type { Count, Status } from './protocol';
import type { ServerState } from './server';
import { commas, escapeIcons, escapeMarkdown, mark, oneLine, percentOf, sayCount, thousands } from './text';

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
export function shareOf(held: Count, window: number): number | undefined {
  return window > 0 ? percentOf(held.n, window, 0) : undefined;
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
  const share = shareOf(status.held, fullAt(status));
  const model = oneLine(status.model, longestModel);
  const figure = share === undefined ? `${sayCount(status.held)} tokens` : `${mark(status.held)}${share} %`;
  const left = status.compactsAt > 0 ? `${thousands(status.compactsAt - status.held.n)} to auto-compact` : '';
  const parts = left === '' ? [figure, model].filter((part) => part !== '').join(' ') : `${figure} · ${left}`;
  return {
    text: `$(dashboard) ${escapeIcons(parts)}`,
    tooltip: table(status, share),
    spoken: share === undefined ? `context: ${figure}, ${model}` : `context ${share} percent full, ${left === '' ? model : left}`,
    colour: colourOf(share),
    command: 'ctxledger.showPanel',
  };
}

/** Returns where the agent's window is full: where the agent compacts by itself, or else at its end. */
function fullAt(status: Status): number {
  return status.compactsAt > 0 ? status.compactsAt : status.window;
}

/** Returns the colour of a share of the window. */
export function colourOf(share: number | undefined): Entry['colour'] {
  if (share === undefined || share < warnFrom) {
    return 'plain';
  }
  return share < alarmFrom ? 'warning' : 'error';
}

function table(status: Status, share: number | undefined): string {
  const { held, window } = status;
  const rows: [string, string][] = [['in the window', `${sayCount(held)} tokens`]];
  if (!held.exact && held.upper > 0) {
    rows.push(['at most', `${commas(held.upper)} tokens`]);
  }
  if (status.compactsAt > 0) {
    rows.push(['the agent compacts at', `${commas(status.compactsAt)} tokens`]);
  }
  if (window > 0) {
    rows.push(['window', `${commas(window)} tokens`]);
  }
  if (share !== undefined) {
    const free = { ...held, n: Math.max(0, fullAt(status) - held.n) };
    rows.push(['share', `${mark(held)}${share} %`], ['free', `${sayCount(free)} tokens`]);
  }
  if (status.model !== '') {
    rows.push(['model', oneLine(status.model, 100)]);
  }
  rows.push(['session', oneLine(status.session, 100)]);
  const lines = rows.map(([name, value]) => `| ${name} | ${escapeMarkdown(value)} |`);
  const title = status.title === '' ? 'Live session' : escapeMarkdown(oneLine(status.title, 120));
  return [`**${title}**`, '', '| | |', '|:--|--:|', ...lines].join('\n');
}
