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

/** Reports whether a node is about a file: its label is the name of the file, and its icon that of the language. */
export function isOfFile(node: Node): node is Node & { readonly file: string } {
  return node.file !== undefined && node.file !== '';
}
