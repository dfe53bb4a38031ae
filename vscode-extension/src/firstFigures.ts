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
  const next = nextDollars === null || nextDollars === 0 ? '' : `, which each further request reads for ${sayDollars(nextDollars)}`;
  return [
    `${context.live ? 'The live' : 'Your last'} session, ${title}:`,
    `${cost === '' ? 'its price is not known' : cost};`,
    `its window holds ${sayCount(held)}${fills} tokens${next}.`,
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
  const dearest = (a: (typeof files)[number], b: (typeof files)[number]): number => b.total.n - a.total.n;
  const found = files.filter(({ part }) => /(^|[\\/])CLAUDE\.md$/.test(part.path)).sort(dearest)[0] ?? files.sort(dearest)[0];
  return found === undefined ? undefined : { text: memoryText(found.host, found.part), path: found.part.path };
}

function memoryText(host: Host, part: CarriedPart): string {
  const agent = oneLine(host.title, longestTitle);
  const total = totalOf(part);
  const heaviest = part.heaviest === undefined || part.share === undefined || part.share <= 0 ? ''
    : ` ${Math.round(100 * part.share)} % of the file: ${oneLine(part.heaviest, longestTitle)}.`;
  return `Every request of ${agent} carries ${oneLine(part.name, longestTitle)}: ${sayCount(part.carried)} tokens` +
    (total.n > part.carried.n ? `, ${sayCount(total)} with imports.` : '.') + heaviest +
    ` All that is known of files: ${sayCount(host.carried)}.`;
}
