// The directories of a workspace that was counted, as plain values.
import type { Counted, Directory } from './protocol';
import { commas, inTokens, oneLine, percentOf } from './text';

/** The last part of the path of what is right in a directory that has others below it. */
const here = '.';

/** Returns the directories right below one, '' being the workspace, largest first. */
export function childrenOf({ directories = [] }: Counted, parent: string): Directory[] {
  const start = parent === '' ? '' : `${parent}/`;
  return directories.filter(({ path }) => path.startsWith(start) && path.length > start.length && !path.slice(start.length).includes('/'));
}

/** Says what a directory costs, and which share of all that is. */
export function sayDirectory({ tokens: all, exact }: Counted, { tokens, files }: Directory): string {
  const share = all > 0 ? ` · ${percentOf(tokens, all, 0)}%` : '';
  return `${inTokens({ n: tokens, exact })}${share} · ${commas(files)} ${files === 1 ? 'file' : 'files'}`;
}

/** Returns the title of the list of the directories right below one: with the sum of all, or which one it is. */
export function titleOf({ said }: Counted, parent: string): string {
  return oneLine(parent === '' ? said ?? 'Tokens by Directory' : `Tokens in ${parent}`, 200);
}

/** Says whether a row is the files right in a directory: there is nothing to open or to ignore. */
export function isHere({ path }: Directory): boolean {
  return lastOf(path) === here;
}

/** Returns the name of a directory in its parent, on one line. */
export function nameOf({ path }: Directory): string {
  return lastOf(path) === here ? 'files right here' : oneLine(lastOf(path), 100);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the parent of a directory; '' is the workspace. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
