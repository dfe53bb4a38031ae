// What the view of every request says, as plain values.
import { agentName, beside } from './panel/palette';
import type { Carried, CarriedPart, Category, Context, Count, Host } from './protocol';
import type { NamedServer } from './serverCommands';
import { commas, inTokens, oneLine, plural, sayCount, sayMoney } from './text';

/** One row of the view. */
export interface Row {
  /** Unique in the view, and the same when it is asked for again. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly icon: string;
  /** The file to open; empty for an agent. */
  readonly path: string;
  /** The MCP server that can be asked for its tools. */
  readonly asks?: NamedServer;
  readonly rows: readonly Row[];
}

const icons: Record<CarriedPart['kind'], string> = {
  memory: 'book',
  rule: 'law',
  skill: 'tools',
  agent: 'person',
  command: 'terminal',
  server: 'plug',
  hook: 'zap',
  plugin: 'extensions',
  index: 'list-unordered',
};

const longestName = 120;

/** What requests have besides the conversation, in the panel's words: alone, or where it is known only with the files. */
const besides = ['system prompt and tools', beside];

/** Returns the rows of the view: the agents, and below them what their requests carry, with what the panel has of a live session. */
export function rowsOf({ hosts }: Carried, session?: Pick<Context, 'host' | 'live' | 'own'>): Row[] {
  const own = session?.live === true ? session.own.find(({ name }) => besides.includes(name)) : undefined;
  const named = session?.host ?? '';
  const fileless = own === undefined || hosts.some(({ name }) => name === named) ? []
    : [{ name: named, title: agentName(named), carried: sumOf([]), unknown: 0, parts: [] }];
  return [...hosts, ...fileless].map((host) => hostRow(host, host.name === named ? own : undefined));
}

function besideRow(host: Host, { name, tokens }: Category): Row {
  const whose = oneLine(host.title, longestName);
  return {
    id: `${host.name}/beside`, label: name, description: sayCount(tokens), icon: 'server-process', path: '', rows: [],
    tooltip: `What ${whose} itself puts into every request: its system prompt, and the definitions of tools, including those of MCP servers` +
      `${name === beside ? ', together with the files below' : ''}.\nMeasured on the first request of the live session.`,
  };
}

/** Returns what is said of parts whose cost is not known, behind a number of tokens. */
export function sayUnknown({ unknown }: Pick<Host, 'unknown'>): string {
  return unknown === 0 ? '' : ` + ${commas(unknown)} unknown`;
}

/** Returns the row of an agent: its figure is the sum of the rows below it, which without a live session are files alone. */
function hostRow(host: Host, own: Category | undefined): Row {
  const all = own === undefined ? host.carried : own.name === beside ? own.tokens : sumOf([own.tokens, host.carried]);
  return {
    id: host.name,
    label: oneLine(host.title, longestName),
    description: sayCount(all) + (own === undefined ? ' from files' : '') + sayUnknown(host),
    tooltip: [
      own === undefined ? '' : `In every request of ${host.title}: ${inTokens(all)}.`,
      [`What ${host.title} loads from your files with every request: ${inTokens(host.carried)}`, spentOn(host)].filter((text) => text !== '').join(', ') + '.',
      host.unknown === 0 ? '' : `Not included: ${plural(host.unknown, 'part')} of unknown cost.`,
      host.model === undefined ? 'A rough estimate for the usual models of this agent, until a session shows which one it uses.' : `Counted for ${host.model}.`,
    ].map((line) => oneLine(line, 500)).filter((line) => line !== '').join('\n'),
    icon: 'symbol-namespace',
    path: '',
    rows: [...own === undefined ? [] : [besideRow(host, own)], ...host.parts.map((part, i) => partRow(part, `${host.name}/${i}`, host.name))],
  };
}

function partRow(part: CarriedPart, id: string, agent: string): Row {
  const problems = part.problems ?? [];
  return {
    id,
    label: oneLine(part.name, longestName),
    description: shortOf(part),
    tooltip: [`${part.kind} ${part.name}`, costOf(part), spentOn(part), ...problems.map(({ message }) => `⚠ ${message}`)]
      .map((line) => oneLine(line, 500)).filter((line) => line !== '').join('\n'),
    icon: problems.length > 0 ? 'warning' : icons[part.kind],
    path: part.path,
    ...(part.kind === 'server' && (part.unknown === true || part.asked !== undefined)
      ? { asks: { agent, server: part.name, path: part.path } } : {}),
    rows: [...(part.imports ?? []).map((imported, i) => partRow(imported, `${id}/${i}`, agent)), ...toolRows(part, id)],
  };
}

/** Returns a row for each tool of a server that was asked, those that cost most first. */
function toolRows({ tools, path, later }: CarriedPart, id: string): Row[] {
  const heavy = [...(tools ?? [])].sort((a, b) => b.tokens.n - a.tokens.n);
  return heavy.map(({ name, tokens }, i) => {
    const cost = later.n > 0 ? `${sayCount(tokens)} when the model searches for it` : sayCount(tokens);
    const label = oneLine(name, longestName);
    return { id: `${id}/tool/${i}`, label, description: cost, tooltip: `tool ${label}\n${cost}`, icon: 'symbol-method', path, rows: [] };
  });
}

/** Returns what the session has paid so far for what its requests carry; empty where nobody knows. */
function spentOn({ cost_usd: dollars, paid_by: by = '' }: Pick<CarriedPart, 'cost_usd' | 'paid_by'>): string {
  return dollars === undefined ? '' : `${sayMoney(dollars, false)} so far in this session, at list prices, over ${by}`;
}

/** Returns how often a server or a skill was used; empty for other parts. */
function usesOf({ kind, use }: CarriedPart): string {
  if (kind !== 'server' && kind !== 'skill') {
    return '';
  }
  if (use === undefined) {
    return 'calls unknown';
  }
  if (use.sessions === 0) {
    return 'no session since its configuration changed';
  }
  const sessions = use.sessions === 1 ? 'the last session' : `the last ${plural(use.sessions, 'session')}`;
  const last = use.last === undefined ? '' : `, most recent ${use.last.slice(0, 10)}`;
  return use.calls === 0 ? `not used in ${sessions}` : `${plural(use.calls, 'call')} in ${sessions}${last}`;
}

function sumOf(counts: readonly Count[]): Count {
  return counts.reduce((sum, { n, exact, upper }) => ({ n: sum.n + n, exact: sum.exact && exact, upper: sum.upper + upper }),
    { n: 0, exact: true, upper: 0 });
}

/** Returns what a part carries with what it imports. */
export function totalOf(part: CarriedPart): Count {
  return sumOf([part.carried, ...(part.imports ?? []).map(totalOf)]);
}

/** Returns what is seen of a part in a narrow side bar: its figure, and that it is not used. */
function shortOf(part: CarriedPart): string {
  const imported = sumOf((part.imports ?? []).map(totalOf));
  const figure = part.unknown === true ? (part.kind === 'server' ? 'not counted yet' : 'unknown') : part.carried.n > 0 ? sayCount(part.carried) + (imported.n > 0 ? ` + ${sayCount(imported)} imported` : '')
    : part.later.n > 0 ? `${sayCount(part.later)} when ${part.when ?? ''}` : part.when === undefined || part.when === '' ? '' : `when ${part.when}`;
  const more = [
    part.asked === undefined ? '' : plural(part.tools?.length ?? 0, 'tool'),
    part.use?.calls === 0 && part.use.sessions > 0 ? (part.unknown === true ? 'not used' : `${part.kind === 'server' ? 'MCP server' : part.kind}, not used`) : '',
  ];
  return oneLine([figure, ...more].filter((text) => text !== '').join(' · '), 200);
}

/** Returns what a part costs, and when, and how often it was used. */
function costOf(part: CarriedPart): string {
  const said: string[] = [];
  if (part.unknown === true) {
    said.push('unknown');
  } else if (part.carried.n > 0) {
    said.push(sayCount(part.carried));
  }
  const total = totalOf(part);
  if (total.n > part.carried.n) {
    said.push(`${sayCount(total)} with imports`);
  }
  if (part.later.n > 0) {
    said.push(`${sayCount(part.later)} when ${part.when ?? ''}`);
  } else if (part.when !== undefined && part.when !== '' && part.carried.n === 0) {
    said.push(`when ${part.when}`);
  }
  if (part.share !== undefined && part.share > 0 && part.heaviest !== undefined) {
    said.push(`longest section: ${part.heaviest}, ${Math.round(100 * part.share)}% of the file`);
  }
  if (part.asked !== undefined) {
    said.push(`${plural(part.tools?.length ?? 0, 'tool')}, asked on ${part.asked.slice(0, 10)}`);
  }
  said.push(usesOf(part));
  return oneLine(said.filter((text) => text !== '').join(' · '), 200);
}
