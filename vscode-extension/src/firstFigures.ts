// The pages of the walkthrough: the reader's own figures, as Markdown.
import { sayUnknown, totalOf } from './carried';
import { sayCost, sayCostOf, sayPartsOf, sayShare, sayTime } from './panel/figures';
import { agentName } from './panel/palette';
import type { Audited, Carried, CarriedPart, Context, Host } from './protocol';
import { capital, commas, escapeMarkdown, inTokens, mark, oneLine, plural, sayCount, sayMoney, wholeWords } from './text';

const longestTitle = 80;

/** The head of what a part of every request cost. */
const sessionCost = 'cost this session';

/** One page of figures. */
export interface Figures {
  /** The name of its tab. */
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** It has the figures that were asked for, and does not only say why there are none. */
  readonly found: boolean;
}

/** Returns what the last session cost, below what is said already, and what the one that is live has cost. */
export function sessionFigures(context: Context, said = '', now?: Context): Figures {
  const title = context.live ? 'What Your Session Has Cost So Far' : 'What Your Last Finished Session Cost';
  if (context.session === '') {
    const { unknown } = context;
    return page(title, false, inert(said), said !== '' && context.followOff !== '' ? ''
      : unknown !== '' ? inert(`No session is recorded here yet: ${unknown}.`)
        : 'No session is recorded here yet. New sessions of Claude Code and Codex in this folder appear on their own, in the *Ledger* view.',
      'The command **ctxledger: Show the Most Expensive Habits** looks at the sessions of all folders.');
  }
  const { held, window, besides = '', next = '', live, model, turns, earlier, host } = context;
  const [last] = turns.slice(-1);
  const day = last === undefined ? '' : sayTime(last.time);
  const cost = sayCost(context);
  const [dearest] = turns.filter((turn) => turns.length > 1 && sayCostOf(turn) !== '').sort((a, b) => (b.cost_usd ?? 0) - (a.cost_usd ?? 0));
  const name = context.title === '' ? `Session ${context.session}` : context.title;
  const fills = window > 0 ? `${sayCount(held)} of ${commas(window)} tokens (${mark(held)}${sayShare(held.n, window)})` : inTokens(held);
  return page(title, true, inert(said), `**${inert(wholeWords(name, longestTitle))}**`,
    [live ? 'live now' : day, agentName(host), model, plural(turns.length + earlier, 'turn')].filter((fact) => fact !== '').map(inert).join(' · '),
    list(['Cost', cost === '' ? 'unknown: the session has no record of what its provider measured' : inert(cost)],
      [live ? 'Context window' : 'Context window at the end', besides === '' ? fills : `${fills}; ${inert(besides)}`],
      ...!live || next === '' ? [] : [['From now on', inert(next)] as const],
      ...dearest === undefined ? [] : [['Most expensive turn', `turn ${commas(dearest.turn)}, ${inert(sayPartsOf(dearest))}: “${inert(wholeWords(dearest.request, longestTitle))}”`] as const]),
    'Click a session in the *Ledger* view to see it turn by turn.', nowLine(context, now));
}

/** Names the session that is live, where another one is shown, and where to see it. */
function nowLine(shown: Context, now: Context | undefined): string {
  if (now?.live !== true || now.session === shown.session) {
    return '';
  }
  const cost = sayCost(now);
  return `Your current session, **${inert(wholeWords(now.title === '' ? now.session : now.title, longestTitle))}**` +
    `${cost === '' ? '' : `: ${inert(cost)}`}. A click on \`ctx\` in the status bar opens the panel with what fills its window.`;
}

/** Returns what the memory file costs that is looked at first: CLAUDE.md, else the most expensive. */
export function memoryFigures(carried: Carried): Figures {
  const files = carried.hosts.flatMap((host) =>
    host.parts.filter(({ kind, unknown }) => kind === 'memory' && unknown !== true).map((part) => ({ host, part, total: totalOf(part) })));
  const byCost = (a: (typeof files)[number], b: (typeof files)[number]): number => b.total.n - a.total.n;
  const found = files.filter(({ part }) => /(^|[\\/])CLAUDE\.md$/.test(part.path)).sort(byCost)[0] ?? files.sort(byCost)[0];
  return found === undefined
    ? page('In Every Request', false, 'There is no memory file here: no CLAUDE.md, AGENTS.md or GEMINI.md.')
    : memoryPage(found.host, found.part);
}

function memoryPage(host: Host, part: CarriedPart): Figures {
  const [agent, name, total] = [inert(host.title), oneLine(part.name, longestTitle), totalOf(part)];
  const heaviest = part.heaviest === undefined || part.share === undefined || part.share <= 0 ? ''
    : `The longest section, **${inert(part.heaviest)}**, is ${Math.round(100 * part.share)}% of the file.`;
  const paid = (dollars: number | undefined): readonly string[] => (host.cost_usd === undefined ? [] : [dollars === undefined ? '' : inert(sayMoney(dollars, false))]);
  const imports = total.n > part.carried.n ? [['with its imports', sayCount(total), ...paid(spentOn(part))]] : [];
  const problems = problemsOf(part).map((message) => `- ⚠ ${inert(capital(message))}`).join('\n');
  return page(`What ${name.slice(name.search(/[^\\/]*$/))} Costs`, true,
    `${agent} sends ${inert(name)} with **every** request, whatever you ask:`,
    table(['in every request', 'tokens', ...host.cost_usd === undefined ? [] : [sessionCost]],
      [`**${inert(name)}**`, `**${sayCount(part.carried)}**`, ...paid(part.cost_usd)], ...imports,
      [`everything ${agent} loads from files`, (sayCount(host.carried) + sayUnknown(host)).replaceAll(' ', '\u00a0'), ...paid(host.cost_usd)]),
    host.cost_usd === undefined ? '' : `The cost is that of the current session so far, at list prices, over ${inert(host.paid_by ?? '')}.`,
    problems, heaviest, 'The *In Every Request* view lists all of these files; click one to open it.');
}

/** Returns what a part and its imports have cost so far in the session that is followed; nothing where nobody knows. */
function spentOn(part: CarriedPart): number | undefined {
  const all = [part.cost_usd, ...(part.imports ?? []).map(spentOn)].filter((dollars) => dollars !== undefined);
  return all.length === 0 ? undefined : all.reduce((sum, dollars) => sum + dollars, 0);
}

/** Returns what is wrong with a part and its imports, such as an import that is missing. */
function problemsOf(part: CarriedPart): string[] {
  return [...(part.problems ?? []).map(({ message }) => message), ...(part.imports ?? []).flatMap(problemsOf)];
}

/** Returns what all past sessions cost, and which habits cost most. */
export function habitFigures({ sessions, said, habits = [] }: Audited): Figures {
  return page('What Everything Cost, and Why', sessions > 0, `**${inert(said)}**`,
    ...habits.length === 0 ? [] : ['The most expensive parts of that sum that were sent again and again. They do not overlap, and are not all of it:',
      habits.map(({ cost, tokens, name, advice }, i) => `${i + 1}. **${inert(cost)}**, ${inert(tokens)} tokens: ${name}\n\n   *What to do:* ${advice}.`).join('\n\n')],
    sessions > 0 ? 'Tokens are counted each time a request sends them. The figures of habits are estimates. **ctxledger: Audit Past Sessions in a Terminal** shows every figure.' : '');
}

function page(title: string, found: boolean, ...paragraphs: readonly string[]): Figures {
  return { title, found, text: [`# ${inert(title)}`, ...paragraphs.filter((text) => text !== '')].join('\n\n') + '\n' };
}

/** Returns a table, whose cells are Markdown; numbers are at the right. */
function table(...rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const right = ['tokens', 'cost', sessionCost];
  return [head, head.map((name) => (right.includes(name) ? '--:' : ':--')), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Returns a list of facts, which are Markdown, each with its name. */
function list(...facts: readonly (readonly [string, string])[]): string {
  return facts.map(([name, fact]) => `- **${name}**: ${fact}`).join('\n');
}

/** Returns text of others as one line that stays what it is. */
function inert(text: string): string {
  return escapeMarkdown(oneLine(text, 300));
}
