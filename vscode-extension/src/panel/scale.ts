// The scale of the chart of turns: numbers to pixels, and back.
import type { Context } from '../protocol';

/** The places of a chart. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The edges of the plot. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Where the column of a turn begins, and the one behind it. */
  readonly column: (index: number) => number;
  /** Where the numbers of turns stand, and below them what each cost; 0: there is no room, or nothing is known. */
  readonly numbers: number;
  readonly costs: number;
  /** How wide the gap between two columns is. */
  readonly gap: number;
  /** The coordinate of a number of tokens. */
  readonly level: (tokens: number) => number;
  /** The number at the top. */
  readonly most: number;
  /** The largest number that is drawn: there is a little room above it. */
  readonly highest: number;
  /** Which turn is shown at a place. */
  readonly turnAt: (x: number) => number;
}

const height = 240;
const top = 18;
const foot = 22;

/** The widest that a column gets. */
const widest = 140;

/** What each turn cost has a row of this height, where columns are so wide. */
const costRow = { height: 16, from: 48 };

/** Returns the places of a chart that is so wide. */
export function layoutOf(context: Context, width: number): Layout {
  const turns = Math.max(1, context.turns.length);
  const left = 44;
  const room = Math.max(40, width - left - 4);
  const right = left + Math.min(room, turns * widest);
  const costly = (right - left) / turns >= costRow.from && context.turns.some(({ cost_usd: dollars = 0 }) => dollars > 0);
  const bottom = height - foot - (costly ? costRow.height : 0);
  const highest = highestOf(context);
  const most = Math.max(100, highest * 1.06);
  const column = (index: number): number => Math.round(left + ((right - left) * index) / turns);
  const each = (right - left) / turns;
  return {
    width, height, left, right, top, bottom, most, highest, column,
    numbers: bottom + foot - 6, costs: costly ? height - 6 : 0,
    gap: each >= 12 ? 2 : each >= 4 ? 1 : 0,
    level: (tokens) => Math.round((bottom - ((bottom - top) * Math.min(tokens, most)) / most) * 10) / 10,
    turnAt: (x) => Math.max(0, Math.min(turns - 1, Math.floor(((x - left) * turns) / (right - left)))),
  };
}

/** Returns the largest number: what was reached, and where the agent compacts and the window if that is near. */
function highestOf({ turns, fixed, compactsAt, window }: Context): number {
  const besides = fixed?.n ?? 0;
  let most = 0;
  for (const turn of turns) {
    most = Math.max(most, turn.used.n + besides, turn.held.n);
  }
  for (const limit of [compactsAt, window]) {
    most = limit > most && limit <= 2.5 * most ? limit : most;
  }
  return most;
}

/** Returns the round numbers that the axis names, from 0 on. */
export function ticks(most: number, wanted: number): number[] {
  const raw = most / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((n) => n * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => Math.round(i * step));
}
