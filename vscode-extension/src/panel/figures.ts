// Figures as the panel shows them: shares, axes, times.
import type { Context, Turn } from '../protocol';
import { commas, percentOf, sayMoney } from '../text';

/** Returns a share in percent, with one decimal where that says something; '' of nothing. */
export function sayShare(part: number, whole: number): string {
  if (whole <= 0) {
    return '';
  }
  if (part <= 0) {
    return '0%';
  }
  if (1000 * part < whole) {
    return '< 0.1%';
  }
  const percent = percentOf(part, whole, 1);
  if (percent >= 100 && part < whole) {
    return '> 99.9%';
  }
  return percent < 100 ? `${percent.toFixed(1)}%` : `${commas(percentOf(part, whole, 0))}%`;
}

/** Returns a number for an axis: 800, 20k, 1.5M. */
export function sayShort(n: number): string {
  for (const [unit, name] of [[1_000_000, 'M'], [1_000, 'k']] as const) {
    if (n >= unit) {
      return `${Number((n / unit).toFixed(1))}${name}`;
    }
  }
  return String(n);
}

/** Returns a time to the minute, where the reader is; '' of what is no time. */
export function sayTime(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1970) {
    return '';
  }
  const two = (n: number): string => String(n).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Says what the requests of a turn cost; nothing where that is not known. */
export function sayCostOf({ cost_usd: dollars = 0 }: Pick<Turn, 'cost_usd'>): string {
  return dollars > 0 ? sayMoney(dollars, true) : '';
}

/** Says what the requests of a turn cost, and what of that its subagents took; nothing where that is not known. */
export function sayPartsOf(turn: Pick<Turn, 'cost_usd' | 'subagents_usd'>): string {
  const { subagents_usd: dollars = 0 } = turn;
  return sayCostOf(turn) + (dollars > 0 ? `, including ${sayMoney(dollars, true)} for subagents` : '');
}

/** Says what a session cost, and what of it has no known price; nothing where nothing was used. */
export function sayCost({ dollars, unpriced = '', unfinished = '', live }: Pick<Context, 'dollars' | 'unpriced' | 'unfinished' | 'live'>): string {
  const priced = dollars === null ? '' : `${sayMoney(dollars, true)}${live ? ' so far' : ''}, at list prices`;
  const cost = [priced, unpriced].filter((said) => said !== '').join(', and ');
  return [cost, unfinished].filter((said) => said !== '').join('; ');
}
