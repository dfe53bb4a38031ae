// What the status bar says of the file or the selection that somebody looks at, as plain values.
import type { Cost } from './protocol';
import { mark, oneLine, sayCount, sayThousands } from './text';

/** One entry of the status bar. */
export interface CostEntry {
  readonly text: string;
  /** Plain text. */
  readonly tooltip: string;
}

/** Returns what is said of a file, or of what is selected in it. */
export function costEntry(cost: Cost, selected: boolean): CostEntry {
  const model = cost.model === '' ? 'o200k_base, as no model is known' : oneLine(cost.model, 60);
  if (selected) {
    return { text: `${sayCount(cost.tokens)} tok`, tooltip: `The selection: ${sayCount(cost.tokens)} tokens, for ${model}` };
  }
  const lines = [
    `This file${cost.unsaved === true ? ', open and not saved' : ''}: ${sayCount(cost.tokens)} tokens, for ${model}`,
    cost.cut && cost.read.n === 0 ? 'Claude Code refuses to read it in full.'
      : `An agent that reads it adds ${sayCount(cost.read)}${cost.cut ? ' for its first part' : ''}, line numbers included.`,
    cost.tokens.exact ? '' : '≈ marks estimates.',
  ];
  return {
    text: `${short(cost.tokens)} tok · ${cost.cut && cost.read.n === 0 ? 'read in parts' : `read ${short(cost.read)}`}`,
    tooltip: lines.filter((line) => line !== '').join('\n'),
  };
}

function short(count: Cost['tokens']): string {
  return mark(count) + sayThousands(count.n);
}
