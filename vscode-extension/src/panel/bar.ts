// A bar of the window. Its places are percentages, so that it fits every width.
import { inTokens } from '../text';
import { element, escape } from './html';

/** One piece of a bar. */
export interface Piece {
  /** The class that fills it. */
  readonly fill: string;
  readonly n: number;
  /** What is said of it under the mouse. */
  readonly words: string;
}

/** What a bar shows. */
export interface Bar {
  /** From the left. */
  readonly pieces: readonly Piece[];
  /** How many tokens the whole width is. */
  readonly whole: number;
  /** 0 when it is not known. */
  readonly window: number;
  /** Where a compaction is due; nothing without one. */
  readonly due: Mark | undefined;
  /** What a screen reader says. */
  readonly label: string;
}

/** A place in a bar. */
export interface Mark {
  readonly at: number;
  /** What is said of it under the mouse. */
  readonly words: string;
}

/** Returns a bar. */
export function bar({ pieces, whole, window, due, label }: Bar): string {
  const at = (n: number): string => `${((100 * n) / whole).toFixed(3)}%`;
  let taken = 0;
  const parts = pieces.map(({ fill, n, words }) => {
    const x = at(taken);
    taken += n;
    return element('rect', { class: `part ${fill}`, x, y: 8, width: at(n), height: 26 }, element('title', {}, escape(words)));
  });
  const marks = [
    due !== undefined && due.at > 0 && due.at < whole ? mark(at(due.at), 'threshold', due.words) : '',
    window > 0 && window < whole
      ? mark(at(window), 'limit', `the window ends at ${inTokens({ n: window, exact: true })}`) : '',
  ];
  const room = element('rect', { class: 'room', x: 0, y: 8, width: '100%', height: 26 });
  return element('svg', { class: 'bar', width: '100%', height: 42, role: 'img', 'aria-label': label }, room, ...parts, ...marks);
}

function mark(x: string, kind: string, words: string): string {
  return element('g', { class: `mark ${kind}` }, element('title', {}, words),
    element('line', { class: 'halo', x1: x, x2: x, y1: 2, y2: 40 }),
    element('line', { x1: x, x2: x, y1: 2, y2: 40 }));
}
