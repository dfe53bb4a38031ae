// The documents that the panel opens. What it names came from the ledger, so it is checked.
import type { Asked, Source } from '../protocol';

/** Returns the address of a summary; nothing for what is no id of one. */
export function summaryUri(id: string): string | undefined {
  return /^[0-9a-f]{6,64}$/.test(id) ? `ctxledger:/summary/${id}.md` : undefined;
}

/** Returns the address of a file, if it is one of the sources that are shown. */
export function fileUri(uri: string, shown: readonly Source[]): string | undefined {
  return uri.startsWith('file:') && shown.some((source) => source.uri === uri) ? uri : undefined;
}

/** Returns the session that a panel was asked for, from what it remembers over a restart. */
export function askedOf(memory: unknown): Asked {
  const part = (of: unknown, name: string): unknown =>
    typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;
  const asked = part(memory, 'asked');
  const [session, folder] = [part(asked, 'session'), part(asked, 'folder')];
  return typeof session === 'string' && /^[\w-]{1,64}$/.test(session) && typeof folder === 'string'
    ? { session, folder } : { session: '', folder: '' };
}
