/** What a request that failed says, ready to show. */
export interface Said {
  readonly message: string;
  /** What to do; '' when there is nothing to say. */
  readonly hint: string;
}

/** Returns what an error says. Errors of the server carry message and hint apart; in the message itself both stand. */
export function failureOf(error: unknown): Said {
  const data = typeof error === 'object' && error !== null && 'data' in error ? error.data : undefined;
  const text = (name: string): string | undefined => {
    const value: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, name) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  return { message: text('message') ?? (error instanceof Error ? error.message : String(error)), hint: text('hint') ?? '' };
}

/** Returns what an error says in one sentence or two. */
export function sentenceOf(error: unknown): string {
  const { message, hint } = failureOf(error);
  return hint === '' ? message : `${message}. ${hint}`;
}
