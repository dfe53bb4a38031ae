// The choices of a model's window, as plain values.
import type { WindowSizes } from './protocol';
import { commas, oneLine } from './text';

/** One choice; without tokens a number is asked for, unless it is automatic. */
export interface SizeChoice {
  readonly label: string;
  readonly description: string;
  readonly tokens: number;
  /** Whether nothing is set any more. */
  readonly automatic?: true;
}

/** The smallest and the largest window that can be set, in tokens. */
export const leastWindow = 1000;
const mostWindow = 100_000_000;

/** Returns what there is to choose from: the likely sizes, a number of one's own, and the way back where one is set. */
export function sizeChoices({ sizes, window, set }: WindowSizes): SizeChoice[] {
  const likely = sizes.map(({ tokens, why }) => ({
    label: `${commas(tokens)} tokens`,
    description: [oneLine(why, 100), tokens === window ? 'in use' : ''].filter((part) => part !== '').join(' · '),
    tokens,
  }));
  const back: SizeChoice = { label: 'Automatic', description: 'back to the detected size', tokens: 0, automatic: true };
  return [...likely, { label: 'Another number…', description: '', tokens: 0 }, ...(set === true ? [back] : [])];
}

/** Returns the tokens that somebody typed, such as 200000, 200,000, 200k or 1m; undefined for what is none. */
export function typedTokens(text: string): number | undefined {
  const [, digits, unit = ''] = /^([\d][\d,_ ]*)([km]?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) {
    return undefined;
  }
  const n = Number(digits.replaceAll(/[,_ ]/g, '')) * ({ k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1);
  return n >= leastWindow && n <= mostWindow ? n : undefined;
}
