// How the window filled, turn by turn: stacked columns with the limits as lines.
import type { Context } from '../protocol';
import { plural, sayTokens } from '../text';
import { sayCostOf, sayShort } from './figures';
import { element } from './html';
import { apart, unattributed, viewCount } from './held';
import { fillOf, stacked } from './palette';
import { layoutOf, ticks, type Layout } from './scale';

/** Returns the chart for a width in pixels. */
export function growthChart(context: Context, width: number): string {
  const layout = layoutOf(context, width);
  const size = { width: layout.width, height: layout.height, viewBox: `0 0 ${layout.width} ${layout.height}` };
  return element('svg', { ...size, 'aria-hidden': 'true' },
    grid(layout), ...columns(context, layout), element('g', { id: 'cursor' }), sent(context, layout),
    ...lines(context, layout), ...marks(context, layout), axis(context, layout));
}

/** Returns what shows that a turn is chosen. */
export function cursorOf(context: Context, width: number, index: number): string {
  const layout = layoutOf(context, width);
  const x = layout.column(index);
  const wide = Math.max(1, layout.column(index + 1) - x - layout.gap);
  const y = layout.level(layout.highest);
  return element('rect', { class: 'cursor', x: x - 0.5, y, width: wide + 1, height: layout.bottom - y });
}

/** Returns the columns: of each kind of content one path through all turns. */
function columns({ turns }: Context, layout: Layout): string[] {
  const contents = turns.map((turn) => new Map(turn.own.map(({ name, tokens }) => [name, tokens])));
  const names = stacked(contents.flatMap((content) => [...content.keys()]));
  const below = turns.map(() => 0);
  return names.map((name) => {
    const runs: Column[][] = [];
    let run: Column[] = [];
    contents.forEach((content, i) => {
      const n = content.get(name) ?? 0;
      const from = below[i] ?? 0;
      below[i] = from + n;
      if (n === 0 || run.length === 0 || layout.gap > 0) {
        runs.push(run = []);
      }
      const left = layout.column(i);
      const right = layout.column(i + 1) - layout.gap;
      if (n > 0 && right > left) {
        run.push({ left, right, low: layout.level(from), high: layout.level(from + n) });
      }
    });
    return element('path', { class: `part ${fillOf(name)}`, d: runs.map(outline).join('') });
  });
}

/** What one kind of content takes of a column. */
interface Column {
  readonly left: number;
  readonly right: number;
  readonly low: number;
  readonly high: number;
}

/** Returns the way around columns that touch each other. */
function outline(run: readonly Column[]): string {
  const first = run[0];
  if (first === undefined) {
    return '';
  }
  const there = run.map(({ right, high }) => `V${high}H${right}`).join('');
  const back = run.toReversed().map(({ left, low }) => `V${low}H${left}`).join('');
  return `M${first.left} ${first.low}${there}${back}z`;
}

/** Reports whether ctxledger would have sent something else than the agent did, in any turn. */
export function sentApart({ turns, fixed }: Context): boolean {
  return turns.some((turn) => apart({ ...turn, fixed }));
}

/** Returns what ctxledger would have sent in each turn, where that differs in any, with what no record explains: that is not saved. */
function sent(context: Context, layout: Layout): string {
  if (!sentApart(context)) {
    return '';
  }
  const { turns, fixed } = context;
  let path = '';
  turns.forEach((turn, i) => {
    const wide = layout.column(i + 1) - layout.column(i) - layout.gap;
    if (wide > 0) {
      path += `M${layout.column(i)} ${layout.level(viewCount({ used: turn.used, fixed }).n + unattributed({ ...turn, fixed }))}h${wide}`;
    }
  });
  return element('path', { class: 'sent halo', d: path }) + element('path', { class: 'sent', d: path });
}

/** Words of a line that is closer to the one above it stand below it. */
const lineOfWords = 14;

/** Returns the lines of the window and of the agent's next compaction, with their words: one line if they are the same. */
function lines({ window, compactsAt }: Context, layout: Layout): string[] {
  const line = (n: number, kind: string, words: string, below = false): string => {
    const y = layout.level(n);
    return element('g', { class: `mark ${kind}` },
      element('line', { x1: layout.left, x2: layout.width, y1: y, y2: y }),
      element('text', { class: 'words', x: layout.width - 2, y: below ? y + 11 : y - 4, 'text-anchor': 'end' },
        layout.width < 420 ? sayShort(n) : `${words} ${sayTokens(n, true)}`));
  };
  const all: string[] = [];
  const shown = window > 0 && window <= layout.most;
  if (compactsAt > 0 && compactsAt <= layout.most && !(shown && compactsAt === window)) {
    const close = shown && Math.abs(layout.level(compactsAt) - layout.level(window)) < lineOfWords;
    all.push(line(compactsAt, 'threshold', 'auto-compact at', close));
  }
  if (shown) {
    all.push(line(window, 'limit', compactsAt === window ? 'the window, and auto-compact:' : 'the window:'));
  }
  return all;
}

/** Returns the marks of compactions, and of those that were taken back. */
function marks({ turns }: Context, layout: Layout): string[] {
  return turns.flatMap((turn, i) => {
    const x = (layout.column(i) + layout.column(i + 1) - layout.gap) / 2;
    const sign = turn.compacted !== '' ? 'M-5 -9h10l-5 8z' : turn.restored !== '' ? 'M-5 -1h10l-5 -8z'
      : turn.host_compacted === true ? 'M0 -10l5 5l-5 5l-5 -5z' : '';
    return sign === '' ? [] : element('g', { class: 'cut', transform: `translate(${x} ${layout.top - 4})` },
      element('path', { class: 'sign', d: sign }),
      element('line', { x1: 0, x2: 0, y1: 0, y2: layout.bottom - layout.top + 4 }));
  });
}

function grid(layout: Layout): string {
  const all = ticks(layout.most, 4).flatMap((n) => {
    const y = layout.level(n);
    return [
      element('line', { x1: layout.left, x2: layout.width, y1: y, y2: y }),
      element('text', { x: layout.left - 6, y: y + 4, 'text-anchor': 'end' }, sayShort(n)),
    ];
  });
  return element('g', { class: 'grid' }, ...all);
}

/** So many turns have their numbers, each of them. */
const namedTurns = 12;

/** Returns what the axes count, and the numbers of the turns: of many, about one for each 60 pixels. Where there is room, what each cost. */
function axis({ turns }: Context, layout: Layout): string {
  const { numbers, costs } = layout;
  const first = turns[0]?.turn ?? 1;
  const wanted = Math.max(1, Math.floor((layout.right - layout.left) / 60));
  const step = turns.length <= namedTurns ? 1 : Math.max(1, ticks(turns.length, wanted)[1] ?? 1);
  const named = turns.flatMap((turn, i) => {
    if (i > 0 && (turn.turn % step !== 0 || turn.turn - first < step / 2)) {
      return [];
    }
    const x = (layout.column(i) + layout.column(i + 1) - layout.gap) / 2;
    return [[numbers, String(turn.turn)] as const, [costs, sayCostOf(turn)] as const].filter(([y, words]) => y > 0 && words !== '')
      .map(([y, words]) => element('text', { x, y, 'text-anchor': 'middle' }, words));
  });
  const unit = (y: number, name: string): string => element('text', { x: layout.left - 6, y, 'text-anchor': 'end' }, name);
  return element('g', { class: 'axis' }, unit(layout.top - 6, 'tokens'), unit(numbers, 'turn'), costs > 0 ? unit(costs, 'cost') : '', ...named);
}

/** Says what the chart shows, for those who do not see it. */
export function growthWords(context: Context): string {
  const { turns, earlier } = context;
  const cuts = turns.filter((turn) => turn.compacted !== '').length;
  const own = turns.filter((turn) => turn.host_compacted === true).length;
  const before = earlier > 0 ? ` of ${plural(earlier + turns.length, 'turn')}` : '';
  const shown = `Growth over ${plural(turns.length, 'turn')}${before}, ${plural(cuts, 'compaction')}${own > 0 ? `, ${own} by the agent itself` : ''}.`;
  return `${shown} Use the left and right arrow keys to move between turns.`;
}
