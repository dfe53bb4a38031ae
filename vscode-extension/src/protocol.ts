// Everything that the server and the extension say to each other beyond the language server protocol.
import { NotificationType0, NotificationType, RequestType } from 'vscode-languageclient';

/** A number of tokens: exact, or an estimate with the upper bound that 95 of 100 texts stay below. */
export interface Count {
  readonly n: number;
  readonly exact: boolean;
  readonly upper: number;
}

/** What the session of a folder is that is followed: the live one, else the one that was live last. */
export interface Status {
  /** The folder, by its URI; empty when none is open. */
  readonly folder: string;
  /** Its id; empty when there is none. */
  readonly session: string;
  readonly title: string;
  readonly model: string;
  /** What its agent's window holds: measured by the provider as far as it goes. */
  readonly held: Count;
  /** What it holds besides, of which nothing was measured, in words; empty: nothing. */
  readonly besides?: string;
  /** The model's window in tokens; 0 when it is not known. */
  readonly window: number;
  /** What that rests on, in words. */
  readonly windowFrom: string;
  /** Where the agent compacts automatically; 0 when it is not known, or never. */
  readonly compactsAt: number;
  /** What that rests on, in words; empty when nothing is known. */
  readonly compactsFrom: string;
  /** What it cost so far, in words; empty when that is not known. */
  readonly cost: string;
  /** When it was last active, in milliseconds since 1970; 0 without a session. */
  readonly updated: number;
  /** The other sessions that are live, the fullest first. */
  readonly others: readonly Other[];
  /** Whether the user chose it. */
  readonly pinned: boolean;
  /** Whether it works in a terminal of this window. */
  readonly near: boolean;
  /** A warning about its input, in a sentence; empty when there is none. */
  readonly warning: string;
  /** That the configuration keeps session files from being read, and how to change that; empty when they are. */
  readonly followOff: string;
  /** Why nothing is known of a session, in one line; empty when all is well. */
  readonly problem: string;
  /** What to do about the problem, in one line. */
  readonly hint: string;
}

/** A session that is live beside the one that is shown. */
export interface Other {
  readonly session: string;
  readonly title: string;
  readonly model: string;
  readonly held: Count;
  readonly window: number;
  readonly compactsAt: number;
}

/** A node of the ledger's tree. */
export interface Node {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Plain text. */
  readonly tooltip: string;
  readonly kind: NodeKind;
  /** The path of the file that it is about, in which label is its name; nothing or empty when it is about none. */
  readonly file?: string;
  /** The document to open; empty when there is none. */
  readonly uri: string;
  /** What compact, restore and forget take; empty when they take nothing of it. */
  readonly handle: string;
  /** Whether it is a summary that can be taken back. */
  readonly restorable: boolean;
  readonly children: boolean;
  /** Whether it is of the session that lives. */
  readonly live: boolean;
}

export type NodeKind =
  | 'sessions' | 'session' | 'summary' | 'artifacts' | 'artifact' | 'memories' | 'memory' | 'changes' | 'file' | 'change'
  | 'more';

/** What fills the window of a session, and how it grew. */
export interface Context {
  /** Its id; empty when there is no session. */
  readonly session: string;
  /** Why nothing may be known of a session, in a sentence; empty when there is none. */
  readonly unknown: string;
  /** As in Status. */
  readonly followOff: string;
  readonly title: string;
  readonly host: string;
  readonly model: string;
  /** Whether something came of it in the last ten minutes. */
  readonly live: boolean;
  /** In tokens; 0 when it is not known. */
  readonly window: number;
  /** What that rests on, in words. */
  readonly windowFrom: string;
  /** Where the agent compacts automatically; 0 when it is not known, or never. */
  readonly compactsAt: number;
  /** What that rests on, in words; empty when nothing is known. */
  readonly compactsFrom: string;
  /** Above it a compaction is due. */
  readonly threshold: number;
  /** What the view holds. */
  readonly used: Count;
  /** The part of every request that is not the view; null: not measured. */
  readonly fixed: Count | null;
  /** The provider's figure for the newest answer with its request; 0 when there is none. */
  readonly measured: number;
  /** What the agent's own window holds: measured and what came since, else used and fixed. */
  readonly held: Count;
  /** What took something out of it since that was measured, in words; empty: nothing did. */
  readonly cut?: string;
  /** What it holds besides, of which nothing was measured, in words; empty: nothing. */
  readonly besides?: string;
  /** Where counts come from: exact, calibrated(n) on so many measurements, or prior. */
  readonly counting: string;
  /** What stubs, edits and the summary keep out of the view. */
  readonly saved: Count;
  /** The summary that the view starts with; empty when there is none. */
  readonly summary: string;
  /** What the session cost so far in US dollars with its subagents, at list prices; null: not known. */
  readonly dollars: number | null;
  /** What has no known price and is not in dollars, in words; empty: nothing. */
  readonly unpriced?: string;
  /** What dollars lacks of answers whose usage was never completed, in words; nothing: nothing. */
  readonly unfinished?: string;
  /** What of that subagents took, in words; empty: nothing. */
  readonly subagents?: string;
  /** What is counted in the session that it was forked from, in words; empty: nothing. */
  readonly forked?: string;
  /** What the next request pays for what the window holds, in words; empty: nothing, or not known. */
  readonly next?: string;
  /** What fills the window and what happens next, as every face says it, and what else is known; empty without a session. */
  readonly text?: string;
  readonly more?: string;
  /** What the view is made of, largest first. */
  readonly categories: readonly Category[];
  /** What the agent's own window is made of: the conversation since its last compaction, and what is not of it. */
  readonly own: readonly Category[];
  /** Of the agent's own window. */
  readonly sources: readonly Source[];
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** How many turns there are before the first of the list. */
  readonly earlier: number;
}

/** A kind of content, with what it takes of the window. */
export interface Category {
  readonly name: string;
  readonly tokens: Count;
}

/** A file or a tool, with what came from it into the agent's window. */
export interface Source {
  readonly kind: 'file' | 'tool';
  readonly name: string;
  readonly tokens: Count;
  /** What ctxledger would send of it instead; nothing: not any of it. */
  readonly sent?: Count;
  /** How many of its results are artifacts, which can be forgotten; nothing when none is. */
  readonly artifacts?: number;
  readonly calls: number;
  /** The file; empty when it is none that can be opened. */
  readonly uri: string;
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
  /** What the agent's window held at the end of the turn: measured, else estimated. */
  readonly held: Count;
  /** What the provider measured of the turn's last answer with its request; 0 or nothing: not measured. */
  readonly measured?: number;
  /** What that was made of. */
  readonly own: readonly Part[];
  /** By how much each part of that is larger than at the end of the turn before, or smaller; empty where that is not known. */
  readonly changed: readonly Part[];
  /** The summary that was made in the turn; empty when none was. */
  readonly compacted: string;
  /** An earlier summary that was taken back in the turn; empty when none was. */
  readonly restored: string;
  /** Whether the agent itself compacted in the turn. */
  readonly host_compacted?: boolean;
  /** What its window held before; nothing where it did not say. */
  readonly host_held?: number;
  /** What its requests cost in US dollars with its subagents, at list prices, and those of it; nothing where that is not known. */
  readonly cost_usd?: number;
  readonly subagents_usd?: number;
}

/** What one kind of content takes, in tokens. */
export interface Part {
  readonly name: string;
  readonly tokens: number;
}

/** What every request of the agents carries besides the conversation. */
export interface Carried {
  /** The agents, those whose requests carry most first. */
  readonly hosts: readonly Host[];
  /** Whether something is estimated for a model of which nothing was measured yet, or none is known. */
  readonly rough?: boolean;
  /** Whether calls of recorded sessions are being counted: changedNotification follows if they turn out otherwise. */
  readonly counting?: boolean;
}

/** An agent with what its requests carry. */
export interface Host {
  readonly name: string;
  readonly title: string;
  readonly parts: readonly CarriedPart[];
  readonly carried: Count;
  /** How many parts add an unknown cost. */
  readonly unknown: number;
  /** The model that its parts are counted for; absent: none is known. */
  readonly model?: string;
  /** What `carried` has cost so far in the session that is followed, in dollars, an estimate, and by how many requests, in words. */
  readonly cost_usd?: number;
  readonly paid_by?: string;
}

/** One thing that requests carry, or could. */
export interface CarriedPart {
  readonly kind: 'memory' | 'rule' | 'skill' | 'agent' | 'command' | 'server' | 'hook' | 'plugin' | 'index';
  readonly name: string;
  /** Its file, absolute. */
  readonly path: string;
  /** What each request carries of it. */
  readonly carried: Count;
  /** Whether nobody knows before a request is made. */
  readonly unknown?: boolean;
  /** What is loaded when `when` happens. */
  readonly later: Count;
  readonly when?: string;
  /** The heading of its longest section, and the part of the file that it is. */
  readonly heaviest?: string;
  readonly share?: number;
  readonly imports?: readonly CarriedPart[];
  readonly problems?: readonly { readonly message: string }[];
  /** How often the newest recorded sessions used a server or a skill; absent: nobody knows. */
  readonly use?: { readonly sessions: number; readonly calls: number; readonly last?: string };
  /** What `carried` has cost so far in the session that is followed, in dollars, an estimate, and by how many requests, in words. */
  readonly cost_usd?: number;
  readonly paid_by?: string;
  /** The tools of a server that was asked, and when that was. */
  readonly tools?: readonly { readonly name: string; readonly tokens: Count }[];
  readonly asked?: string;
}

/** What asking an MCP server for its tools would run. */
export interface AskPreview {
  /** Lines, without secrets. */
  readonly question: string;
  /** What confirms exactly this. */
  readonly approved: string;
}

/** What an open document costs, or a part of it. */
export interface Cost {
  readonly tokens: Count;
  /** What reading it adds to a conversation; zero for a part. */
  readonly read: Count;
  /** Whether an agent reads only a part of it. */
  readonly cut: boolean;
  /** The model that is counted for; empty when none is known. */
  readonly model: string;
  /** Whether, without a model, one may be known soon: session files are still being read. */
  readonly reading?: boolean;
  /** Whether the file on disk has another text, or is gone: what is counted is the open one. null: not known. */
  readonly unsaved?: boolean | null;
}

/** A place in a document: a line, and UTF-16 units from its start. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** A part of a document. */
export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

/** A declaration that VS Code has found in a document. */
export interface SentSymbol {
  readonly name: string;
  /** As in the language server protocol. */
  readonly kind: number;
  readonly range: TextRange;
  /** Its name. */
  readonly selectionRange: TextRange;
}

/** What is known of the window of a session's model. */
export interface WindowSizes {
  /** Empty when it is not known. */
  readonly model: string;
  /** In tokens; 0 when it is not known. */
  readonly window: number;
  /** What it may be, the one in effect first. */
  readonly sizes: readonly { readonly tokens: number; readonly why: string }[];
  /** Where the choice is written. */
  readonly file: string;
  /** Whether that file sets the window; older servers do not say. */
  readonly set?: boolean;
}

/** What the texts of a workspace cost. */
export interface Counted {
  readonly files: number;
  readonly tokens: number;
  readonly exact: boolean;
  /** The sum in words; older servers show it themselves. */
  readonly said?: string;
  /** At any depth, largest first; older servers do not say. */
  readonly directories?: readonly Directory[];
}

/** What the texts below a directory cost. */
export interface Directory {
  /** Relative to the workspace, with slashes. */
  readonly path: string;
  readonly files: number;
  readonly tokens: number;
}

/** What an operation of a context graph sends. */
export interface Prompt {
  /** Its name. */
  readonly operation: string;
  readonly range: TextRange;
  /** What is said of it, in lines: tokens, parts, price. */
  readonly said: string;
  readonly tokens: Count;
  readonly messages: readonly PromptMessage[];
  /** Whether texts were cut. */
  readonly cut: boolean;
  /** The operations that send the block at the place, where none is asked there: then the rest is empty. */
  readonly steps?: readonly TextRange[];
}

/** One message of it. */
export interface PromptMessage {
  readonly role: string;
  readonly from: 'system' | 'block' | 'ambient' | 'prompt';
  /** The path of its block; empty where it has none. */
  readonly block: string;
  /** The place of its block; nothing where it is of none. */
  readonly range?: TextRange;
  /** Of the whole message. */
  readonly tokens: Count;
  readonly text: string;
}

/** What a command of the server answers. */
export interface Done {
  /** One line for a message. */
  readonly said: string;
  /** The document to open; empty when there is none. */
  readonly uri: string;
}

/** What past sessions cost. */
export interface Audited {
  readonly sessions: number;
  /** One line. */
  readonly said: string;
  /** Those that cost most, the most expensive first; nothing where there are none. */
  readonly habits?: readonly Habit[];
}

/** A way of working that made requests larger, with what that cost and what to do about it. */
export interface Habit {
  readonly cost: string;
  /** What that is for, in tokens; empty where the cost is in tokens. */
  readonly tokens: string;
  readonly name: string;
  readonly advice: string;
}

/** What a new chat needs to go on from a session. */
export interface HandedOff extends Done {
  readonly text: string;
}

/** A message to the panel. */
export type PanelNews =
  | { readonly kind: 'context'; readonly context: Context; readonly asked: Asked }
  | { readonly kind: 'nowhere' } // no folder is open
  | Trouble;

/** Why nothing can be shown. */
export interface Trouble {
  readonly kind: 'trouble';
  readonly problem: string;
  readonly hint: string;
}

/** The session that a panel shows: '' is the live one of the folder that is looked at, else it is one of a folder. */
export interface Asked {
  readonly session: string;
  readonly folder: string;
}

/** What the panel asks for. */
export type PanelWish =
  | { readonly kind: 'ready' } // its script runs, and wants the first news
  | { readonly kind: 'summary'; readonly id: string } // to open
  | { readonly kind: 'file'; readonly uri: string } // to open, one of those shown
  | { readonly kind: 'resume' } // to write a new session that goes on with less
  | { readonly kind: 'handoff' } // to copy what a new chat needs
  | { readonly kind: 'forget'; readonly file: string } // results of a file
  | { readonly kind: 'compact' } // the session that is shown
  | { readonly kind: 'folder' } // to open one
  | { readonly kind: 'size' } // to set the window of its model
  | { readonly kind: 'past' } // to read sessions of before
  | { readonly kind: 'log' };

/** A message to the preview of a prompt. */
export type PromptNews =
  | { readonly kind: 'prompt'; readonly prompt: Prompt; readonly name: string } // of a document with this name
  | { readonly kind: 'none'; readonly why: 'document' | 'operation' | 'off'; readonly steps?: readonly number[] } // no context graph, no operation at the cursor, which the lines send, not wanted
  | Trouble;

/** What the preview of a prompt asks for. */
export type PromptWish =
  | { readonly kind: 'ready' } // its script runs, and wants the first news
  | { readonly kind: 'message'; readonly index: number } // to see its block
  | { readonly kind: 'operation' } // to go there
  | { readonly kind: 'step'; readonly index: number } // of those that send a block, to go there
  | { readonly kind: 'example' } // of a context graph, to open
  | { readonly kind: 'settings' }
  | { readonly kind: 'log' };

/** The live session changed, or what is known of it. */
export const statusNotification = new NotificationType<Status>('ctxledger/status');

/** What the tree or the panel shows may have changed. */
export const changedNotification = new NotificationType0('ctxledger/changed');

/** The symbols that VS Code has of a version of a document. */
export const symbolsNotification =
  new NotificationType<{ textDocument: { uri: string; version: number }; symbols: SentSymbol[] }>('ctxledger/symbols');

/** The terminals of this window, by the processes of their shells. */
export interface Terminals {
  readonly processes: readonly number[];
  /** The one that was used last; 0 when there is none. */
  readonly active: number;
}

/** The terminals of this window changed: sessions in them are shown before others. */
export const terminalsNotification = new NotificationType<Terminals>('ctxledger/terminals');

/** Names the folder that a request is about, by its URI; without it, it is the one that is looked at. */
export interface InFolder {
  readonly folder?: string;
}

/** The nodes below a node; below '' the roots. */
export const treeRequest = new RequestType<InFolder & { parent: string }, { nodes: Node[] }, Failure>('ctxledger/tree');

/** What fills the window of a session; '' is the live one, else the newest; with past the newest that is not live, if there is one. */
export const contextRequest = new RequestType<InFolder & { session: string; past?: boolean }, Context, Failure>('ctxledger/context');

/** What an open document costs, or the ranges of it. */
export const costRequest = new RequestType<{ textDocument: { uri: string }; ranges: object[] }, Cost, Failure>('ctxledger/cost');

/** What the operation at a place sends, else the next one in its block, else the last; null where there is none. */
export const promptRequest =
  new RequestType<{ textDocument: { uri: string }; position: TextPosition }, Prompt | null, Failure>('ctxledger/prompt');

/** What the window of a session's model may be; '' as of contextRequest. */
export const windowRequest = new RequestType<InFolder & { session: string }, WindowSizes, Failure>('ctxledger/window');

/** What every request of the agents carries. */
export const carriedRequest = new RequestType<InFolder, Carried, Failure>('ctxledger/carried');

/** The documents with the texts before and after a change; both empty where its record does not have both. */
export const diffRequest = new RequestType<InFolder & { uri: string }, { before: string; after: string }, Failure>('ctxledger/diff');

/** What comes with the message of a request that failed. */
export interface Failure {
  readonly hint?: string;
}
