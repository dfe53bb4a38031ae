// The summaries that can be taken back, as plain values.
import type { Node } from './protocol';
import { escapeIcons } from './text';

/** One row of the list of what can be restored. */
export interface Restorable {
  readonly label: string;
  readonly description: string;
  /** The session that it is of. */
  readonly detail: string;
  /** The summary's handle; empty: to choose from the sessions that are not listed. */
  readonly handle: string;
}

/** Returns the rows for sessions, each with the nodes below it, and one for other sessions if there are more. */
export function restorables(sessions: readonly (readonly [Node, readonly Node[]])[], more: boolean): Restorable[] {
  const rows = sessions.flatMap(([session, below]) => below.filter((node) => node.kind === 'summary' && node.restorable).map((node) => ({
    label: escapeIcons(node.label), description: escapeIcons(node.description), detail: escapeIcons(session.label), handle: node.handle,
  })));
  return more ? [...rows, { label: 'Another Session…', description: 'an older one', detail: '', handle: '' }] : rows;
}
