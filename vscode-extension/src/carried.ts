// What the view of every request says, as plain values.
import type { Carried, CarriedPart, Host } from './protocol';
import { oneLine, sayCount } from './text';

/** One row of the view. */
export interface Row {
  /** Unique in the view, and the same when it is asked for again. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly icon: string;
  /** The file to open; empty for an agent. */
  readonly path: string;
  readonly rows: readonly Row[];
}

const icons: Record<CarriedPart['kind'], string> = {
  memory: 'book',
  rule: 'law',
  skill: 'tools',
  agent: 'person',
  command: 'terminal',
  server: 'plug',
};

const longestName = 120;

/** Returns the rows of the view: the agents, and below them what their requests carry. */
export function rowsOf(carried: Carried): Row[] {
  return carried.hosts.map(hostRow);
}

function hostRow(host: Host): Row {
  const unknown = host.unknown === 0 ? '' : `, ${host.unknown} of unknown cost`;
  return {
    id: host.name,
    label: oneLine(host.title, longestName),
    description: `${sayCount(host.carried)} tokens${unknown}`,
    tooltip: `What every request of ${host.title} carries besides the conversation, as far as files say it.`,
    icon: 'symbol-namespace',
    path: '',
    rows: host.parts.map((part, i) => partRow(part, `${host.name}/${i}`)),
  };
}

function partRow(part: CarriedPart, id: string): Row {
  const problems = part.problems ?? [];
  return {
    id,
    label: oneLine(part.name, longestName),
    description: costOf(part),
    tooltip: [`${part.kind} ${part.name}`, costOf(part), ...problems.map(({ message }) => `⚠ ${message}`)]
      .map((line) => oneLine(line, 500)).filter((line) => line !== '').join('\n'),
    icon: problems.length > 0 ? 'warning' : icons[part.kind],
    path: part.path,
    rows: (part.imports ?? []).map((imported, i) => partRow(imported, `${id}/${i}`)),
  };
}

/** Returns what a part costs, and when. */
function costOf(part: CarriedPart): string {
  const said: string[] = [];
  if (part.unknown === true) {
    said.push('unknown');
  } else if (part.carried.n > 0) {
    said.push(sayCount(part.carried));
  }
  if (part.later.n > 0) {
    said.push(`${sayCount(part.later)} when ${part.when ?? ''}`);
  } else if (part.when !== undefined && part.when !== '' && part.carried.n === 0) {
    said.push(`when ${part.when}`);
  }
  if (part.share !== undefined && part.share > 0 && part.heaviest !== undefined) {
    said.push(`${Math.round(100 * part.share)} % of it: ${part.heaviest}`);
  }
  return oneLine(said.join(' · '), 200);
}
