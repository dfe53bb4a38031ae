/** What a request that failed says, ready to show. */
export interface Said {
  readonly message: string;
  /** What to do; '' when there is nothing to say. */
  readonly hint: string;
}

/** Returns what an error says: its message, and the hint that errors of the server carry. */
export function failureOf(error: unknown): Said {
  const message = error instanceof Error ? error.message : String(error);
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  const hint = typeof data === 'object' && data !== null && 'hint' in data ? data.hint : undefined;
  return { message, hint: typeof hint === 'string' ? hint : '' };
}

/** Returns what an error says in one sentence or two. */
export function sentenceOf(error: unknown): string {
  const { message, hint } = failureOf(error);
  return hint === '' ? message : `${message}. ${hint}`;
}
