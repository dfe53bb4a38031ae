// How documents of the ledger are opened, as plain values.

/** The forms in which VS Code can show a document. */
export type Form = 'text' | 'preview' | 'diff';

/** Returns the form in which a document is opened, by its address. */
export function formOf(uri: string): Form {
  const kind = /^ctxledger:\/+([a-z]+)\//.exec(uri)?.[1] ?? /^ctxledger-(figures):/.exec(uri)?.[1];
  return kind === 'change' ? 'diff' : kind === 'session' || kind === 'summary' || kind === 'figures' ? 'preview' : 'text';
}

/** Returns the path of a document that is shown as a preview: it ends with its title, which is the name of the tab. */
export function tabPath(path: string): string {
  return path.replace(/^(\/+\w+\/\w+\/.+)\.md$/, '$1');
}

/** Returns the title of a diff editor for a text of a change, whose address ends with the name of the file. */
export function diffTitle(after: string): string {
  return `${decodeURIComponent(after.slice(after.lastIndexOf('/') + 1))} (as recorded)`;
}
