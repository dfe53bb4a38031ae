// Text of others, made ready for the places of VS Code that would read more into it, and figures as they are read.
import type { Count } from './protocol';

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Returns a text as one line of at most so many characters, without characters that steer a terminal or turn text. */
export function oneLine(text: string, longest: number): string {
  const characters = [...text.replace(controls, ' ').trim()];
  return characters.length <= longest ? characters.join('') : characters.slice(0, longest - 1).join('') + '…';
}

/** Returns a text as one line of at most so many characters that ends with a word, unless that is a very long one. */
export function wholeWords(text: string, longest: number): string {
  const line = oneLine(text, longest);
  const at = line.endsWith('…') ? line.lastIndexOf(' ') : -1;
  return at > line.length / 2 ? line.slice(0, at).replace(/[\s,;:.–-]+$/, '') + '…' : line;
}

/** Returns a text for a label in which $(name) would be an icon. */
export function escapeIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** Returns a text for a message over the editor, in which [name](command:…) would be a link that runs something. */
export function forMessage(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Returns a text for Markdown that stays what it is, in a cell of a table too. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!|<>~$:@&]/g, (c) => (c === '&' ? '&amp;' : c === '<' ? '&lt;' : `\\${c}`));
}

/** Returns a part in percent, rounded to so many decimals: what is shown in two places is the same in both. */
export function percentOf(part: number, whole: number, decimals: number): number {
  const unit = 10 ** decimals;
  return Math.round((100 * unit * part) / whole) / unit;
}

/** Returns a part in whole percent, ≈ when it is an estimate: what is not all of it is never 100%. internal/chars/figures.go has the same rule. */
export function sayPercent({ n, exact }: Pick<Count, 'n' | 'exact'>, whole: number): string {
  const share = (n * 100) / whole;
  return share > 0 && share < 0.5 ? '<1%' : share >= 99.5 && n < whole ? '>99%' : `${mark({ exact })}${Math.round(share)}%`;
}

/** Returns a text that begins with a capital letter. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns what marks an estimate. */
export function mark({ exact }: Pick<Count, 'exact'>): string {
  return exact ? '' : '≈';
}

/** Returns a number of tokens, ≈ when it is an estimate: that there are none is not. */
export function sayTokens(n: number, exact: boolean): string {
  return mark({ exact: exact || n === 0 }) + commas(n);
}

/** Returns a number of tokens with its noun: 1 token, ≈12,345 tokens. internal/chars/figures.go has the same rule. */
export function inTokens({ n, exact }: Pick<Count, 'n' | 'exact'>): string {
  return `${sayTokens(n, exact)} token${n === 1 ? '' : 's'}`;
}

/** Returns a count, ≈ when it is an estimate. */
export function sayCount(count: Count): string {
  return sayTokens(count.n, count.exact);
}

/** Returns how much a window takes until its agent compacts it, or where nobody knows of that until it is full, and until which of these. */
export function freeOf({ held, window, compactsAt }: { readonly held: Count; readonly window: number; readonly compactsAt: number }): { readonly free: Count; readonly words: string } {
  const left = Math.max(0, (compactsAt > 0 ? compactsAt : window) - held.n);
  return { free: { ...held, n: left }, words: compactsAt > 0 ? 'free until auto-compact' : 'free' };
}

/** Returns a number of tokens in thousands, rounded down: 78k; below a thousand as it is, and never less than 0. */
export function thousands(n: number): string {
  return n < 1000 ? commas(Math.max(0, n)) : `${commas(Math.floor(n / 1000))}k`;
}

/** Returns a number of tokens as short as it can be read: 412, 14.3k, 143k, 1.4M. */
export function sayThousands(n: number): string {
  const parts = n < 1_000 ? [n, ''] as const : n < 999_500 ? [n / 1_000, 'k'] as const : [n / 1_000_000, 'M'] as const;
  const [value, unit] = parts;
  return (unit === '' || value >= 100 ? String(Math.round(value)) : value.toFixed(1)) + unit;
}

/** Returns a number with its thousands apart, as everywhere in ctxledger. */
export function commas(n: number): string {
  return n.toLocaleString('en-US', { maximumFractionDigits: 0 });
}

/** Returns a sum of dollars in cents, ≈ when it is an estimate. internal/chars/figures.go has the same rule. */
export function sayMoney(dollars: number, exact: boolean): string {
  if (dollars > 0 && dollars < 0.01) {
    return 'less than $0.01';
  }
  const cents = Math.round(Math.max(dollars, 0) / 0.01);
  return `${mark({ exact: exact || cents === 0 })}$${commas(Math.floor(cents / 100))}.${String(cents % 100).padStart(2, '0')}`;
}

/** Returns a number of things: 1 call, 2 calls. */
export function plural(n: number, noun: string): string {
  return `${commas(n)} ${noun}${n === 1 ? '' : 's'}`;
}
