// What the walkthrough says: the reader's own figures, as plain values.
import { totalOf } from './carried';
import { sayCost, sayDollars } from './panel/figures';
import type { Carried, CarriedPart, Context, Host } from './protocol';
import { commas, oneLine, sayCount, wholeWords } from './text';

const longestTitle = 60;

/** Returns what the last session cost; nothing where none is recorded. */
export function sessionFigures(context: Context): string | undefined {
  const { held, window, nextDollars } = context;
  const cost = sayCost(context);
  if (context.session === '') {
    return undefined;
  }
  const title = context.title === '' ? `session ${oneLine(context.session, longestTitle)}` : `“${wholeWords(context.title, longestTitle)}”`;
  const fills = window > 0 ? ` of ${commas(window)}` : '';
  const next = nextDollars === null || nextDollars === 0 ? '' : `, and each further request pays ${sayDollars(nextDollars)} to read it`;
  return [
    `${context.live ? 'The live' : 'Your last'} session, ${title}:`,
    `${cost === '' ? 'the price of its model is not known' : cost};`,
    `its context window holds ${sayCount(held)}${fills} tokens${next}.`,
  ].join(' ');
}

/** What a memory file costs, and where it is. */
export interface MemoryFigures {
  readonly text: string;
  /** Absolute. */
  readonly path: string;
}

/** Returns what the memory file costs that is looked at first: CLAUDE.md, else the most expensive; nothing without any. */
export function memoryFigures(carried: Carried): MemoryFigures | undefined {
  const files = carried.hosts.flatMap((host) =>
    host.parts.filter(({ kind, unknown }) => kind === 'memory' && unknown !== true).map((part) => ({ host, part, total: totalOf(part) })));
  const byCost = (a: (typeof files)[number], b: (typeof files)[number]): number => b.total.n - a.total.n;
  const found = files.filter(({ part }) => /(^|[\\/])CLAUDE\.md$/.test(part.path)).sort(byCost)[0] ?? files.sort(byCost)[0];
  return found === undefined ? undefined : { text: memoryText(found.host, found.part), path: found.part.path };
}

function memoryText(host: Host, part: CarriedPart): string {
  const agent = oneLine(host.title, longestTitle);
  const total = totalOf(part);
  const heaviest = part.heaviest === undefined || part.share === undefined || part.share <= 0 ? ''
    : ` Its longest section, ${oneLine(part.heaviest, longestTitle)}, is ${Math.round(100 * part.share)} % of it.`;
  return `${agent} sends ${oneLine(part.name, longestTitle)} with every request: ${sayCount(part.carried)} tokens` +
    (total.n > part.carried.n ? `, ${sayCount(total)} with imports.` : '.') + heaviest +
    ` All files that it sends: ${sayCount(host.carried)} tokens.`;
}
