// What the status bar says of the file or the selection that somebody looks at, as plain values.
import type { Cost } from './protocol';
import { inTokens, mark, oneLine, sayThousands } from './text';

/** One entry of the status bar. */
export interface CostEntry {
  readonly text: string;
  /** Plain text. */
  readonly tooltip: string;
}

/** Returns the head of a menu about a file: what it costs, and what reading it costs an agent. */
export function costHead(entry: CostEntry | undefined): { readonly title: string; readonly placeHolder: string } {
  const [title = '', placeHolder = ''] = entry?.tooltip.split('\n') ?? ['No file that ctxledger counts is open'];
  return { title, placeHolder };
}

/** Returns what is said of a file, or of what is selected in it. */
export function costEntry(cost: Cost, selected: boolean): CostEntry {
  const model = cost.model !== '' ? oneLine(cost.model, 60)
    : `o200k_base, ${cost.reading === true ? 'while session files are being read' : 'as no model is known'}`;
  if (selected) {
    return { text: `${inTokens(cost.tokens)} selected`, tooltip: `The selection: ${inTokens(cost.tokens)}, for ${model}` };
  }
  const lines = [
    `This file${cost.unsaved === true ? ', open and not saved' : ''}: ${inTokens(cost.tokens)}, for ${model}`,
    cost.cut && cost.read.n === 0 ? 'Claude Code refuses to read it in full.'
      : `Reading it${cost.cut ? ', its first part,' : ''} adds ${inTokens(cost.read)} to a conversation: agents get a number before each line.`,
    cost.tokens.exact ? '' : '≈ marks estimates.',
  ];
  return {
    text: `${mark(cost.tokens)}${sayThousands(cost.tokens.n)} tokens in file`,
    tooltip: lines.filter((line) => line !== '').join('\n'),
  };
}
