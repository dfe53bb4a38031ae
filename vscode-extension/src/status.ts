// What the status bar says, as plain values.
import type { Count, Other, Status } from './protocol';
import type { ServerState } from './server';
import { capital, commas, escapeIcons, escapeMarkdown, freeOf, inTokens, mark, oneLine, percentOf, sayPercent, sayThousands, thousands } from './text';

/** What is set: the shares of the window in percent from which on the entry warns, and whether sessions are followed at all. */
export interface Limits {
  readonly warnFrom: number;
  readonly alarmFrom: number;
  readonly live: boolean;
}

/** From this many minutes without activity on, a session is idle. */
const idleFrom = 10;

const longestModel = 32;
const longestProblem = 60;

/** The one command that a tooltip may run. */
export const setWindowCommand = 'ctxledger.setWindow';

/** One entry of the status bar. */
export interface Entry {
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  readonly colour: 'plain' | 'warning' | 'error' | 'dim';
  /** The command that a click runs. */
  readonly command: string;
  readonly argument?: string;
}

/** What is said while no session is followed. */
const off: Entry = {
  text: '$(circle-slash) ctxledger: off',
  tooltip: 'ctxledger does not follow sessions, because the setting `ctxledger.live` is off.\n\nClick to open that setting.',
  spoken: 'ctxledger is off',
  colour: 'dim',
  command: 'workbench.action.openSettings',
  argument: '@id:ctxledger.live',
};

/** Returns what is said while the configuration keeps sessions from being followed: the panel says it too. */
function offHere(why: string): Entry {
  const { text, spoken, colour } = off;
  return { text, spoken, colour, tooltip: escapeMarkdown(`ctxledger does not follow sessions here: ${oneLine(why, 500)}.`), command: 'ctxledger.showPanel' };
}

/** Returns what the status bar says at a time in milliseconds; nothing without a session when nothing is wrong. */
export function entryOf(state: ServerState, status: Status | undefined, now: number, limits: Limits): Entry | undefined {
  switch (state.kind) {
    case 'missing':
      return missing(state.named);
    case 'failed':
      return wrong(state.why, 'See the log for details; the command “Restart Language Server” tries again.', 'ctxledger.showLog');
    case 'running':
      break;
    default:
      return undefined;
  }
  if (status !== undefined && status.problem !== '') {
    return wrong(status.problem, status.hint, 'ctxledger.showPanel');
  }
  if (!limits.live) {
    return off;
  }
  if (status === undefined || status.session === '') {
    return status === undefined || status.followOff === '' ? undefined : offHere(status.followOff);
  }
  return session(status, idleMinutes(status, now), limits);
}

/** Returns what the status bar says of other sessions: how many are live, or that the user chose this one. */
export function othersOf(state: ServerState, status: Status | undefined): Entry | undefined {
  if (state.kind !== 'running' || status === undefined || status.problem !== '' || (status.others.length === 0 && !status.pinned)) {
    return undefined;
  }
  const n = status.others.length;
  const others = n === 1 ? '1 other session in this folder is live' : `${commas(n)} other sessions in this folder are live`;
  const chosen = status.near ? 'This session runs in a terminal of this window' : '';
  const said = [status.pinned ? 'You chose this session' : chosen, n > 0 ? others : ''].filter((part) => part !== '').join('; ');
  return {
    text: [status.pinned ? '$(pinned)' : '$(layers)', n > 0 ? `+${commas(n)}` : ''].join(' ').trim(),
    tooltip: `${said}. Click to choose which one is shown.`,
    spoken: `context: ${said}`,
    colour: 'plain',
    command: 'ctxledger.chooseSession',
  };
}

/** Returns the minutes that a session has been idle at a time; 0 while it is live. */
function idleMinutes(status: Status, now: number): number {
  const minutes = Math.floor((now - status.updated) / 60_000);
  return minutes < idleFrom ? 0 : minutes;
}

/** Returns when what is said of a session changes by itself, in milliseconds from now. */
export function changesIn(status: Status, now: number): number {
  const since = now - status.updated;
  return since < idleFrom * 60_000 ? idleFrom * 60_000 - since : 60_000 - (since % 60_000);
}

function sayMinutes(minutes: number): string {
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

/** Returns the share of a window in whole percent; undefined without a window. */
export function shareOf(held: Count, window: number): number | undefined {
  return window > 0 ? percentOf(held.n, window, 0) : undefined;
}

function missing(named: string): Entry {
  const why = named === '' ? 'ctxlsp was not found' : `${named} cannot be run`;
  const hint = named === '' ? 'Click to see how to get it.' : 'Correct the setting ctxledger.server.path, or click to see how to get ctxlsp.';
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

/** What stands for each colour besides it. */
const signs: Readonly<Record<Entry['colour'], { readonly icon: string; readonly word: string }>> = {
  plain: { icon: '', word: '' }, dim: { icon: '', word: '' },
  warning: { icon: '$(warning) ', word: ', warning' }, error: { icon: '$(error) ', word: ', nearly full' },
};

function session(status: Status, idle: number, limits: Limits): Entry {
  const share = shareOf(status.held, status.window);
  const model = oneLine(status.model, longestModel);
  const figure = share === undefined ? `${mark(status.held)}${sayThousands(status.held.n)} tokens` : sayPercent(status.held, status.window);
  const rest = status.compactsAt > 0 ? sayRest(status.compactsAt - status.held.n) : '';
  const left = idle > 0 ? `idle ${sayMinutes(idle)}` : rest;
  const due = idle === 0 && rest === compactsNext;
  const full = colourOf(share, limits);
  const colour = idle > 0 ? 'dim' : full === 'plain' && (status.warning !== '' || due) ? 'warning' : full;
  return {
    text: `${signs[colour].icon}ctx ${figure}${due ? ', auto-compact due' : ''}`,
    tooltip: table(status, share, idle),
    spoken: share === undefined ? `context: ${figure}, ${model}` : `context ${spokenShare(status)} full, ${idle > 0 ? left : left === '' ? model : `auto-compact ${left}`}${full === 'error' && status.held.n >= status.window && idle === 0 ? ', full' : signs[colour].word}`,
    colour,
    command: 'ctxledger.showPanel',
  };
}

const compactsNext = 'due with the next request';

function sayRest(left: number): string {
  return left > 0 ? `in ${thousands(left)} tokens` : compactsNext;
}

function spokenShare({ held, window }: Status): string {
  return sayPercent({ n: held.n, exact: true }, window).replace('<', 'less than ').replace('>', 'more than ').replace('%', ' percent');
}

/** Returns the colour of a share of the window. */
export function colourOf(share: number | undefined, { warnFrom, alarmFrom }: Pick<Limits, 'warnFrom' | 'alarmFrom'>): 'plain' | 'warning' | 'error' {
  if (share === undefined || share < Math.min(warnFrom, alarmFrom)) {
    return 'plain';
  }
  return share < alarmFrom ? 'warning' : 'error';
}

function table(status: Status, share: number | undefined, idle: number): string {
  const { held, window } = status;
  const rows: [string, string][] = [['in the window', inTokens(held)]];
  if (!held.exact && held.upper > 0) {
    rows.push(['at most', `${commas(held.upper)} tokens`]);
  }
  if (window > 0) {
    rows.push(['size of the window', `${commas(window)} tokens`], ['why that size', oneLine(status.windowFrom, 100)]);
  }
  if (share !== undefined) {
    rows.push(['share', sayPercent(held, status.window)]);
  }
  if (window > 0 || status.compactsAt > 0) {
    const { free, words } = freeOf(status);
    rows.push([words, inTokens(free)]);
  }
  if (status.compactsAt > 0) {
    const due = status.compactsAt > held.n ? '' : `, ${compactsNext}`;
    rows.push(['auto-compact at', `${commas(status.compactsAt)} tokens${due}`]);
  }
  rows.push([status.compactsAt > 0 ? 'why there' : 'auto-compact', oneLine(status.compactsFrom, 100)]);
  rows.push(['cost', oneLine(status.cost, 200)]);
  if (idle > 0) {
    rows.push(['last active', `${sayMinutes(idle)} ago`]);
  }
  if (status.model !== '') {
    rows.push(['model', oneLine(status.model, 100)]);
  }
  rows.push(['session', oneLine(status.session, 100)]);
  const lines = rows.filter(([, value]) => value !== '').map(([name, value]) => `| ${name} | ${escapeMarkdown(value)} |`);
  const title = status.title === '' ? 'Session' : escapeMarkdown(oneLine(status.title, 120));
  const besides = (status.besides ?? '') === '' ? [] : ['', escapeMarkdown(`${capital(status.besides ?? '')}.`)];
  const warning = status.warning === '' ? [] : [`$(warning) ${escapeMarkdown(`${capital(status.warning)}.`)}`, ''];
  const change = status.model === '' ? [] : ['', `[Set the Size of the Context Window…](command:${setWindowCommand})`];
  return [`**${title}**`, '', ...warning, '| | |', '|:--|--:|', ...lines, ...besides, ...change, ...list(status.others)].join('\n');
}

/** Returns the other sessions that are live, a line each. */
function list(others: readonly Other[]): string[] {
  const lines = others.map((other) => {
    const share = shareOf(other.held, other.window);
    const figure = share === undefined ? inTokens(other.held) : sayPercent(other.held, other.window);
    return `- ${[figure, oneLine(other.title, 60), oneLine(other.model, longestModel)].filter((part) => part !== '').map(escapeMarkdown).join(' · ')}`;
  });
  return lines.length === 0 ? [] : ['', 'Also live:', '', ...lines];
}
