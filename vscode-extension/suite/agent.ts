// A coding agent at work: appends to its session file as Claude Code does.
import * as crypto from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';

/** The agent of the session that the test has laid out. */
export class Agent {
  private readonly file = variable('CTX_TEST_SESSION');
  private readonly before: Entry;

  constructor(private readonly root: string) {
    const entries = fs.readFileSync(this.file, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Partial<Entry>);
    this.before = entries.findLast((entry) => entry.type === 'assistant') as Entry;
  }

  /** Asks the agent for something, as its user does. */
  ask(request: string): void {
    this.write('user', { role: 'user', content: request });
  }

  /** Reads a file of the project, and takes its content into the conversation. */
  read(name: string): void {
    const file = path.join(this.root, name);
    const id = `toolu_${crypto.randomUUID()}`;
    const call = { type: 'tool_use', id, name: 'Read', input: { file_path: file } };
    this.write('assistant', { ...this.before.message, id: `msg_${id}`, content: [call] });
    const lines = fs.readFileSync(file, 'utf8').split('\n').map((line, i) => `${i + 1}\t${line}`);
    this.write('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines.join('\n') }] });
  }

  private write(type: string, message: object): void {
    const { sessionId, cwd, version } = this.before;
    const entry = {
      type, message, sessionId, cwd, version, isSidechain: false,
      parentUuid: this.before.uuid, uuid: crypto.randomUUID(), timestamp: new Date().toISOString(),
    };
    fs.appendFileSync(this.file, `${JSON.stringify(entry)}\n`);
    this.before.uuid = entry.uuid;
  }
}

/** An entry of a session file, as far as it matters here. */
interface Entry {
  readonly type: string;
  readonly message: object;
  readonly sessionId: string;
  readonly cwd: string;
  readonly version: string;
  uuid: string;
}

/** Returns a variable that the test sets. */
export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: make vscode has it`);
  }
  return value;
}

/** Returns the process ids of the language servers that were started, the newest last. */
export function servers(): number[] {
  return fs.readFileSync(variable('CTX_TEST_SERVERS'), 'utf8').split('\n').filter((line) => line !== '').map(Number);
}
