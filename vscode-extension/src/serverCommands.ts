// The commands of the server, and the checks before VS Code may run them.

/** The commands of the server. */
export const serverCommands = {
  compact: 'ctxledger.server.compact',
  restore: 'ctxledger.server.restore',
  forget: 'ctxledger.server.forget',
  follow: 'ctxledger.server.follow',
  handoff: 'ctxledger.server.handoff',
  setWindow: 'ctxledger.server.setWindow',
  readPast: 'ctxledger.server.readPast',
  countSelection: 'ctxledger.server.countSelection',
  ignore: 'ctxledger.server.ignore',
  askServer: 'ctxledger.server.askServer',
  audit: 'ctxledger.server.audit',
  countWorkspace: 'ctxledger.server.countWorkspace',
} as const;

/**
 * Returns the arguments of a server command that a key binding, a task or a link may run.
 * Nothing for forgetting: only the command of the extension does that, after a person has read what would go.
 * Nothing for setting a window and for ignoring, either: only a person's choice is written into a file. Nor for asking an
 * MCP server, which starts it: the extension's own command shows what would run.
 */
export function admit(command: string, args: readonly unknown[]): unknown[] | undefined {
  if (command === serverCommands.setWindow || command === serverCommands.ignore || command === serverCommands.askServer) {
    return undefined;
  }
  if (command !== serverCommands.forget) {
    return [...args];
  }
  const [plan] = args;
  const object = typeof plan === 'object' && plan !== null;
  if (!object || !('handle' in plan && 'dryRun' in plan) || plan.dryRun !== true) {
    return undefined;
  }
  return [{ handle: plan.handle, dryRun: true }]; // and nothing else: a server reads names in any letters
}

/** An MCP server of a configuration. */
export interface NamedServer {
  readonly agent: string;
  readonly server: string;
  readonly path: string;
}

/** Returns the MCP server that an argument names, and nothing else of it: a row of the view, or the argument of a lens. */
export function namedServer(argument: unknown): NamedServer | undefined {
  const object = (value: unknown): Record<string, unknown> | undefined =>
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  const named = object(object(argument)?.['asks']) ?? object(argument);
  const { agent, server, path } = named ?? {};
  if (typeof agent !== 'string' || typeof server !== 'string' || typeof path !== 'string' || server === '') {
    return undefined;
  }
  return { agent, server, path };
}
