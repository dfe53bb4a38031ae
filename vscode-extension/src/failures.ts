/** What a request that failed says, ready to show. */
export interface Said {
  readonly message: string;
  /** What to do; '' when there is nothing to say. */
  readonly hint: string;
}

/** Codes of errors, from JSON-RPC 2.0 and from the language server protocol. */
const unknownMethod = -32601;
const cancelled: readonly unknown[] = [-32800, -32802]; // by the client, by the server

/** What is said of a server that does not know what it is asked. */
const older: Said = {
  message: 'this ctxlsp is older than the extension',
  hint: 'the command “ctxledger: How to Get the Programs” says how to get a newer one',
};

/** The error for a server that does not know what it would be asked. */
export class OlderServer extends Error {
  readonly code = unknownMethod;
}

/** Reports whether something did not fail, but was called off. */
export function isCancelled(error: unknown): boolean {
  return cancelled.includes(codeOf(error));
}

/** Returns the text of an error. Errors of the server carry message and hint separately; their message has both. */
export function failureOf(error: unknown): Said {
  if (codeOf(error) === unknownMethod) {
    return older;
  }
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  const text = (name: string): string | undefined => {
    const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { message: text('message') ?? (error instanceof Error ? error.message : String(error)), hint: text('hint') ?? '' };
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Returns what an error says in one line, as the server joins them. */
export function sentenceOf(error: unknown): string {
  const { message, hint } = failureOf(error);
  return hint === '' ? message : `${message}; ${hint}`;
}
