// What the nodes of the ledger are to the menus of VS Code.
import type { Node } from './protocol';

/** Returns what the menus know of a node: its kind, whether it has a handle, and whether it can be restored. */
export function contextOf(node: Node): string {
  const more = [node.handle === '' ? '' : ' handle', node.restorable ? ' restorable' : ''];
  return node.kind + more.join('');
}

/** Reports whether the roots say that nothing is recorded: nothing is below them, and nothing is said of them. */
export function isEmpty(roots: readonly Node[]): boolean {
  return roots.every((node) => !node.children && node.tooltip === '');
}

/** Returns what a node is called: a session with what it cost and when, unless that is now, in front of its title, which VS Code cuts. */
export function labelOf(node: Pick<Node, 'kind' | 'label' | 'description' | 'live'>): string {
  if (node.kind !== 'session') {
    return node.label;
  }
  const short = node.description.replace(/ · [\d,]+ turns?( · .*)?$/, '');
  const facts = node.live ? short.replace(/(^| · )[^·]*$/, '') : short;
  return [facts, node.label].filter((text) => text !== '').join(' · ');
}

/** Returns what is said behind a label: nothing of a session, whose label has it. */
export function descriptionOf({ kind, description }: Pick<Node, 'kind' | 'description'>): string {
  return kind === 'session' ? '' : description;
}

/** How many sessions are listed at once: what is below them in the view stays in sight. */
const mostSessions = 10;

/** The rows of sessions that are listed when somebody asks. */
export interface Older {
  readonly id: string;
  readonly older: readonly Node[];
}

/** Returns what is listed below a node: of many sessions the newest, and a row for the others. */
export function listed(parent: Node, nodes: readonly Node[]): (Node | Older)[] {
  const first = parent.kind === 'sessions' && nodes.length > mostSessions + 1 ? mostSessions : nodes.length;
  const older = nodes.slice(first);
  return older.length === 0 ? [...nodes] : [...nodes.slice(0, first), { id: `${parent.id}/older`, older }];
}

/** Returns what is said above a list of sessions: where none is live, or none is followed, what their figures are; else nothing. */
export function wordsFor(sessions: readonly Node[], followed: boolean): string {
  return sessions.length === 0 || sessions.some(({ live }) => live) ? ''
    : `${followed ? 'No session is live' : 'Live sessions are not followed (ctxledger.live is off)'}. Costs are at list prices.`;
}

/** Reports whether the roots say that no session is recorded, but something else is. */
export function lacksSessions(roots: readonly Node[]): boolean {
  return roots.some(({ kind, children }) => kind === 'sessions' && !children) && !isEmpty(roots);
}

/** Reports whether a node is about a file: its label is the name of the file, and its icon that of the language. */
export function isOfFile(node: Node): node is Node & { readonly file: string } {
  return node.file !== undefined && node.file !== '';
}
