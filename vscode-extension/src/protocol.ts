// Everything that the server and the extension say to each other beyond the language server protocol.
import { NotificationType0, NotificationType, RequestType } from 'vscode-languageclient';

/** A number of tokens: exact, or an estimate with the upper bound that 95 of 100 texts stay below. */
export interface Count {
  readonly n: number;
  readonly exact: boolean;
  readonly upper: number;
}

/** What the live session of the workspace is. */
export interface Status {
  /** Its id; empty when none lives. */
  readonly session: string;
  readonly title: string;
  readonly model: string;
  /** What its view holds. */
  readonly used: Count;
  /** The model's window in tokens; 0 when it is not known. */
  readonly window: number;
  /** Why nothing is known of a session, in one line; empty when all is well. */
  readonly problem: string;
  /** What to do about the problem, in one line. */
  readonly hint: string;
}

/** What stands at one place of the ledger's tree. */
export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly kind: NodeKind;
  /** The document to open; empty when there is none. */
  readonly uri: string;
  /** What compact, restore and forget take; empty when they take nothing of it. */
  readonly handle: string;
  readonly children: boolean;
  /** Whether it is of the session that lives. */
  readonly live: boolean;
}

export type NodeKind =
  | 'sessions' | 'session' | 'summary' | 'artifacts' | 'artifact' | 'memories' | 'memory' | 'changes' | 'change' | 'more';

/** What fills the window of a session, and how it grew. */
export interface Context {
  /** Its id; empty when there is no session. */
  readonly session: string;
  readonly title: string;
  readonly host: string;
  readonly model: string;
  readonly window: number;
  readonly threshold: number;
  readonly used: Count;
  readonly fixed: Count | null;
  readonly measured: number;
  readonly counting: string;
  readonly saved: Count;
  readonly categories: readonly Category[];
  readonly sources: readonly Source[];
  readonly turns: readonly Turn[];
  /** How many turns there are before the first of the list. */
  readonly earlier: number;
}

/** A kind of content, with what it takes of the window. */
export interface Category {
  readonly name: string;
  readonly tokens: Count;
}

/** A file or a tool, with what came from it into the window. */
export interface Source {
  readonly kind: 'file' | 'tool';
  readonly name: string;
  readonly tokens: Count;
  readonly calls: number;
}

/** What one turn did to the window. */
export interface Turn {
  readonly turn: number;
  readonly seq: number;
  readonly time: string;
  /** The first line of what the user asked. */
  readonly request: string;
  /** The view at the end of the turn. */
  readonly used: Count;
  /** The provider's figure at that moment; 0 when there is none. */
  readonly measured: number;
  readonly added: readonly { readonly name: string; readonly tokens: number }[];
  /** The summary that was made in the turn; empty when none was. */
  readonly compacted: string;
}

/** What a command of the server answers. */
export interface Done {
  /** One line for a message. */
  readonly said: string;
  /** The document to open; empty when there is none. */
  readonly uri: string;
}

/** The live session changed, or what is known of it. */
export const statusNotification = new NotificationType<Status>('ctxledger/status');

/** What the tree or the panel shows may have changed. */
export const changedNotification = new NotificationType0('ctxledger/changed');

/** The nodes below a node; below '' the roots. */
export const treeRequest = new RequestType<{ parent: string }, { nodes: Node[] }, Failure>('ctxledger/tree');

/** What fills the window of a session; '' is the live one, else the newest. */
export const contextRequest = new RequestType<{ session: string }, Context, Failure>('ctxledger/context');

/** What comes with the message of a request that failed. */
export interface Failure {
  readonly hint?: string;
}

/** The commands of the server. */
export const serverCommands = {
  compact: 'ctxledger.server.compact',
  restore: 'ctxledger.server.restore',
  forget: 'ctxledger.server.forget',
  countSelection: 'ctxledger.server.countSelection',
  countWorkspace: 'ctxledger.server.countWorkspace',
} as const;
