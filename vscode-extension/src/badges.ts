// What the explorer says of the files that agents load with every request, as plain values.
import type { Carried, CarriedPart } from './protocol';
import { inTokens, oneLine } from './text';

/** The mark of a file. */
export interface Badge {
  /** At most two characters: VS Code shows no more. */
  readonly text: string;
  readonly tooltip: string;
}

/** From so many tokens on a file is marked: a sign for fewer would look like a file that is not saved. */
const least = 500;

/** Returns the marks of the files that are a part of every request, by their paths. */
export function badgesOf(carried: Carried): Map<string, Badge> {
  const costs = new Map<string, { n: number; lines: string[] }>();
  for (const host of carried.hosts) {
    const seen = new Set<string>();
    for (const part of withImports(host.parts)) {
      if (part.carried.n === 0 || part.kind === 'server' || seen.has(part.path)) {
        continue;
      }
      seen.add(part.path);
      const cost = costs.get(part.path) ?? { n: 0, lines: [] };
      cost.n = Math.max(cost.n, part.carried.n);
      cost.lines.push(oneLine(`${inTokens(part.carried)} in every request of ${host.title}`, 200));
      costs.set(part.path, cost);
    }
  }
  return new Map([...costs].filter(([, { n }]) => n >= least)
    .map(([path, { n, lines }]) => [path, { text: thousands(n), tooltip: lines.join('\n') }]));
}

function withImports(parts: readonly CarriedPart[]): CarriedPart[] {
  return parts.flatMap((part) => [part, ...withImports(part.imports ?? [])]);
}

/** Returns a number of tokens in two characters, `9+` from 9,500. */
function thousands(n: number): string {
  const k = Math.round(n / 1000);
  return k > 9 ? '9+' : `${k}k`;
}
