// The symbols that VS Code has of a document, as the server takes them. They are plain values.
import type { SentSymbol, TextRange } from './protocol';

/** A symbol as an extension of VS Code has found it, with its members. */
export interface FoundSymbol {
  readonly name: string;
  readonly detail?: string;
  /** VS Code counts kinds from 0, the language server protocol from 1. */
  readonly kind: number;
  readonly range?: TextRange;
  readonly selectionRange?: TextRange;
  readonly children?: readonly FoundSymbol[];
}

/** How many symbols of a document are sent. The server takes no more. */
export const most = 2_000;

/** How much of a name is sent, in UTF-16 units. */
const longest = 200;

/** Declarations are sent, and their members, but nothing deeper. */
const deepest = 2;

/** The languages whose sections the server finds itself. */
const known = new Set(['go', 'markdown']);

/** Returns whether the server can use the symbols of a document. */
export function wanted(scheme: string, language: string): boolean {
  return (scheme === 'file' || scheme === 'untitled') && !known.has(language);
}

/** Returns what is sent of the symbols of a document: without our own, the outer ones first, each once. */
export function toSend(found: readonly FoundSymbol[], own: ReadonlySet<string>): SentSymbol[] {
  const sent = new Map<string, SentSymbol>();
  let level = found;
  for (let depth = 0; depth < deepest; depth++) {
    const theirs = level.filter((symbol) => !own.has(keyOf(symbol)));
    for (const { name, kind, range, selectionRange } of theirs) {
      if (range !== undefined && sent.size < most) {
        const symbol = { name: name.slice(0, longest).replace(/[\ud800-\udbff]$/, ''), kind: kind + 1, range: plain(range), selectionRange: plain(selectionRange ?? range) };
        sent.set(JSON.stringify(symbol), symbol);
      }
    }
    level = theirs.flatMap(({ children }) => children ?? []);
  }
  return [...sent.values()];
}

/** The symbols that our own server answered with, by document: what VS Code returns of all contains them. */
export class OwnSymbols {
  private readonly answers = new Map<string, { readonly version: number; readonly keys: Set<string> }>();

  /** Notes an answer of the server for a version of a document. */
  note(uri: string, version: number, answer: readonly FoundSymbol[]): void {
    const before = this.answers.get(uri);
    const keys = before?.version === version ? before.keys : new Set<string>();
    const add = (symbols: readonly FoundSymbol[]): void => {
      for (const symbol of symbols) {
        keys.add(keyOf(symbol));
        add(symbol.children ?? []);
      }
    };
    add(answer);
    this.answers.set(uri, { version, keys });
  }

  /** Returns what to recognize them by. */
  of(uri: string): ReadonlySet<string> {
    return this.answers.get(uri)?.keys ?? new Set();
  }

  forget(uri: string): void {
    this.answers.delete(uri);
  }
}

/** Our own symbols have their costs as details, which others do not have. */
function keyOf({ name, detail, range }: FoundSymbol): string {
  return JSON.stringify([name, detail, range === undefined ? null : plain(range)]);
}

function plain({ start, end }: TextRange): TextRange {
  return { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } };
}
