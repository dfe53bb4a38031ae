// The language server: found, started, started again, and asked.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction, DidChangeConfigurationNotification, ErrorAction, ExecuteCommandRequest, RevealOutputChannelOn, State,
  type CloseHandlerResult, type ConfigurationParams, type RequestParam, type RequestType,
} from 'vscode-languageclient';
import { LanguageClient, TransportKind, type LanguageClientOptions } from 'vscode-languageclient/node';
import { failureOf } from './failures';
import { findCommand, findServer, type Places } from './programs';
import { changedNotification, statusNotification, type Status } from './protocol';
import { Restarts } from './restarts';

/** How the server is. */
export type ServerState =
  | { readonly kind: 'stopped' | 'starting' | 'running' }
  | { readonly kind: 'missing'; readonly named: string } // the path that the setting has; '' when it has none
  | { readonly kind: 'failed'; readonly why: string };

/** The language server of this window. */
export class Server implements vscode.Disposable {
  private readonly log = vscode.window.createOutputChannel('ctxledger', { log: true });
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly statuses = new vscode.EventEmitter<Status>();
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable[] = [];
  private client: LanguageClient | undefined;
  private current: ServerState = { kind: 'stopped' };
  private turn: Promise<void> = Promise.resolve();

  /** The server is found, started, or ends. */
  readonly onState = this.states.event;
  /** The live session of the workspace changed. */
  readonly onStatus = this.statuses.event;
  /** What the tree or the panel shows may have changed. */
  readonly onChanged = this.changes.event;

  constructor(private readonly extension: vscode.Uri) {
    this.listeners.push(vscode.workspace.onDidChangeConfiguration((e) => this.configure(e)));
  }

  get state(): ServerState {
    return this.current;
  }

  /** Returns the program ctxledger, if there is one. */
  command(): string | undefined {
    const places = this.places();
    return findCommand(places, findServer(places));
  }

  showLog(): void {
    this.log.show(true);
  }

  /** Starts the server. What goes wrong becomes the state: nobody has to wait for this. */
  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  /** Stops the server, and forgets it if it does not want to. */
  stop(): Promise<void> {
    return this.inTurn(() => this.end());
  }

  restart(): Promise<void> {
    return this.inTurn(async () => {
      await this.end();
      await this.begin();
    });
  }

  /** Asks the server. Errors: why it cannot be asked, or what it answers. */
  async request<P, R, E>(type: RequestType<P, R, E>, params: RequestParam<P>, token?: vscode.CancellationToken): Promise<R> {
    return this.running().sendRequest(type, params, token);
  }

  /** Has the server do a command. Errors: as of request. */
  async execute(command: string, argument: unknown, token?: vscode.CancellationToken): Promise<unknown> {
    return this.running().sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }, token);
  }

  /** Returns a location as the server has it. */
  location(uri: vscode.Uri, range: vscode.Range): unknown {
    const convert = this.running().code2ProtocolConverter;
    return { uri: convert.asUri(uri), range: convert.asRange(range) };
  }

  dispose(): void {
    vscode.Disposable.from(...this.listeners, this.states, this.statuses, this.changes, this.log).dispose();
  }

  /** Does one thing with the server after the other: none is started while another one ends. */
  private inTurn(work: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(work).catch((error: unknown) => this.log.error(failureOf(error).message));
    return this.turn;
  }

  private async begin(): Promise<void> {
    const places = this.places();
    const program = findServer(places);
    if (program === undefined) {
      this.become({ kind: 'missing', named: places.setting });
      return;
    }
    const server = { command: program, transport: TransportKind.stdio };
    const client = new QuietClient('ctxledger', 'ctxledger', server, this.options());
    client.onNotification(statusNotification, (status) => this.statuses.fire(status));
    client.onNotification(changedNotification, () => this.changes.fire());
    client.onDidChangeState(({ newState }) => this.follow(client, newState));
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.become({ kind: 'failed', why: failureOf(error).message });
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.become({ kind: 'stopped' });
    await client?.dispose().catch((error: unknown) => this.log.warn(failureOf(error).message));
  }

  /** Takes in how the client is, which starts a server that ended again by itself. */
  private follow(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Starting) {
      this.become({ kind: 'starting' });
    } else if (state === State.Running) {
      this.become({ kind: 'running' });
    } else if (state === State.StartFailed && this.current.kind !== 'failed') {
      this.become({ kind: 'failed', why: 'the language server does not start' });
    }
  }

  private running(): LanguageClient {
    if (this.client === undefined || this.current.kind !== 'running') {
      throw new Error('the language server of ctxledger does not run');
    }
    return this.client;
  }

  private become(state: ServerState): void {
    this.current = state;
    void vscode.commands.executeCommand('setContext', 'ctxledger.server', state.kind);
    this.states.fire(state);
  }

  private places(): Places {
    const setting = vscode.workspace.getConfiguration('ctxledger').get<unknown>('server.path');
    return {
      setting: typeof setting === 'string' ? setting.trim() : '',
      extension: this.extension.fsPath,
      path: process.env['PATH'] ?? '',
      home: os.homedir(),
      platform: process.platform,
      runs,
    };
  }

  private options(): LanguageClientOptions {
    const restarts = new Restarts();
    return {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: settings,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(restarts),
      },
      middleware: {
        workspace: { configuration: (params: ConfigurationParams) => params.items.map(() => settings()) },
      },
    };
  }

  private closed(restarts: Restarts): CloseHandlerResult {
    if (restarts.allow(Date.now())) {
      return { action: CloseAction.Restart, handled: true };
    }
    this.become({ kind: 'failed', why: 'the language server ended again and again' });
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private configure(change: vscode.ConfigurationChangeEvent): void {
    if (change.affectsConfiguration('ctxledger.server.path')) {
      void this.restart();
    } else if (change.affectsConfiguration('ctxledger') && this.current.kind === 'running') {
      void this.running().sendNotification(DidChangeConfigurationNotification.type, { settings: settings() });
    }
  }
}

/** A client that writes what goes wrong to the log, and never into a message over the editor. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** The settings of the server: those of the user, and that this client listens to its status. */
function settings(): object {
  const { server: _, ...shown } = vscode.workspace.getConfiguration().get<Record<string, unknown>>('ctxledger', {});
  return { ...shown, status: true };
}

function runs(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
