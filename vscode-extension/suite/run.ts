// Runs cases one after the other inside the extension host, and says what became of each.

/** What is tested, by its name. */
export type Cases = Readonly<Record<string, () => Promise<void> | void>>;

/** How long a condition may take to become true, in milliseconds: a busy machine is no failure. */
const patience = 180_000;
const glance = 20;

/** Runs every case, also after one that failed. Errors: that there were some. */
export async function run(cases: Cases): Promise<void> {
  const failed: string[] = [];
  for (const [name, test] of Object.entries(cases)) {
    const began = Date.now();
    const error = await outcome(test);
    console.log(`suite: ${error === undefined ? 'ok  ' : 'FAIL'} ${name} (${Date.now() - began} ms)${error ?? ''}`);
    if (error !== undefined) {
      failed.push(name);
    }
  }
  if (failed.length > 0) {
    throw new Error(`failed: ${failed.join('; ')}`);
  }
}

async function outcome(test: () => Promise<void> | void): Promise<string | undefined> {
  try {
    await test();
    return undefined;
  } catch (error) {
    return `\n${error instanceof Error ? error.stack : String(error)}`;
  }
}

/** Waits until something is there. Errors: what was there instead when patience ended. */
export async function until<T>(what: string, look: () => Promise<T | undefined> | T | undefined, last?: () => unknown): Promise<T> {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    const seen = await look();
    if (seen !== undefined) {
      return seen;
    }
    await new Promise((resolve) => setTimeout(resolve, glance));
  }
  throw new Error(`waited in vain for ${what}; there is ${JSON.stringify(await last?.())}`);
}
