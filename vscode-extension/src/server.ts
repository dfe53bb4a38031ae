// The language server: found, started, started again, and asked.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as vscode from 'vscode';
import {
  CloseAction, DidChangeConfigurationNotification, ErrorAction, ExecuteCommandRequest, MessageType,
  RevealOutputChannelOn, ShowMessageNotification, State, type CloseHandlerResult, type ConfigurationParams,
  type ExecuteCommandSignature, type NotificationType, type RequestParam, type RequestType, type ShowMessageParams,
} from 'vscode-languageclient';
import { LanguageClient, TransportKind, type LanguageClientOptions } from 'vscode-languageclient/node';
import { OlderServer, failureOf } from './failures';
import { Folders } from './folders';
import { bundled, findCommand, findServer, type Places } from './programs';
import { changedNotification, statusNotification, type Status } from './protocol';
import { Restarts } from './restarts';
import { admit, serverCommands } from './serverCommands';
import { OwnSymbols, type FoundSymbol } from './symbols';
import { forMessage } from './text';

/** How the server is. */
export type ServerState =
  | { readonly kind: 'stopped' | 'starting' | 'running' }
  | { readonly kind: 'missing'; readonly named: string } // the path that the setting has; '' when it has none
  | { readonly kind: 'failed'; readonly why: string };

/** The language server of this window. */
export class Server implements vscode.Disposable {
  private readonly log = vscode.window.createOutputChannel('ctxledger', { log: true });
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly statuses = new vscode.EventEmitter<Status | undefined>();
  private readonly changes = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable[] = [];
  private readonly known = new Map<string, Status>(); // by the path of the folder
  private client: LanguageClient | undefined;
  private current: ServerState = { kind: 'stopped' };
  private turn: Promise<void> = Promise.resolve();

  /** What the server answered when VS Code requested symbols. */
  readonly ownSymbols = new OwnSymbols();
  /** The server is found, started, or ends. */
  readonly onState = this.states.event;
  /** What is known of the session of the folder that is looked at changed, or the folder. */
  readonly onStatus = this.statuses.event;
  readonly folders = new Folders();
  /** What the tree or the panel shows may have changed. */
  readonly onChanged = this.changes.event;

  constructor(private readonly extension: vscode.Uri) {
    this.listeners.push(
      this.folders,
      vscode.workspace.onDidChangeConfiguration((e) => this.configure(e)),
      this.folders.onDidChange(() => { this.statuses.fire(this.status); this.changes.fire(); }),
    );
  }

  /** What is known of the session of the folder that is looked at; nothing before the server has said it. */
  get status(): Status | undefined {
    return this.known.get(this.folders.current?.uri.fsPath ?? '');
  }

  /** The folder that is looked at, as the server knows it; empty when none is open. */
  get folder(): string {
    return this.folders.current?.uri.toString() ?? '';
  }

  get state(): ServerState {
    return this.current;
  }

  /** Returns the program ctxledger, if there is one. */
  command(): string | undefined {
    const places = this.places();
    return findCommand(places, findServer(places));
  }

  /** Returns the folder of the programs that came with the extension, if they did. */
  bundled(): string | undefined {
    return bundled(this.places());
  }

  showLog(): void {
    this.log.show(true);
  }

  /** Starts the server in the background. Errors become its state. */
  start(): Promise<void> {
    return this.inTurn(() => this.begin());
  }

  /** Stops the server: at once, for one that hangs while it starts would let nothing have its turn. */
  stop(): Promise<void> {
    const ended = this.end();
    return this.inTurn(async () => {
      await ended;
      await this.end(); // one whose start was waiting for its turn
    });
  }

  restart(): Promise<void> {
    void this.stop();
    return this.start();
  }

  /** Asks the server, about the folder that is looked at unless params name one. Errors: why it cannot be asked, or what it answers. */
  async request<P, R, E>(type: RequestType<P, R, E>, params: RequestParam<P>, token?: vscode.CancellationToken): Promise<R> {
    return this.running().sendRequest(type, { folder: this.folder, ...params as object } as RequestParam<P>, token);
  }

  /** Tells the server something. Errors: why it cannot be told. */
  async notify<P>(type: NotificationType<P>, params: P): Promise<void> {
    return this.running().sendNotification(type, params as RequestParam<P>);
  }

  /** Has the server do a command, in the folder that is looked at unless its argument names one. Errors: as of request. */
  async execute(command: string, argument: object, token?: vscode.CancellationToken): Promise<unknown> {
    const client = this.running();
    const known = client.initializeResult?.capabilities.executeCommandProvider?.commands ?? [];
    if (!known.includes(command)) {
      throw new OlderServer(`the server has no command ${command}`);
    }
    return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [{ folder: this.folder, ...argument }] }, token);
  }

  /** Returns a location as the server has it. */
  location(uri: vscode.Uri, range: vscode.Range): object {
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
    const current = (): boolean => client === this.client;
    const client: QuietClient = new QuietClient('ctxledger', 'ctxledger', server, this.options(current));
    client.onNotification(statusNotification, (status) => { if (current()) { this.take(status); } });
    client.onNotification(changedNotification, () => { if (current()) { this.changes.fire(); } });
    client.onNotification(ShowMessageNotification.type, show);
    client.onDidChangeState(({ newState }) => current() && this.follow(newState));
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      if (current()) {
        this.become({ kind: 'failed', why: failureOf(error).message });
      }
    }
    if (!current()) { // it was to end before it had a process
      await this.dismiss(client);
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.become({ kind: 'stopped' });
    if (client !== undefined) {
      await this.dismiss(client);
    }
  }

  /** Ends a client and its server. One that starts, or does not listen, cannot be asked to: its process is killed. */
  private async dismiss(client: LanguageClient): Promise<void> {
    const server = client.serverProcess;
    try {
      await client.dispose();
    } catch (error) {
      this.log.warn(failureOf(error).message);
      server?.kill('SIGKILL');
    }
  }

  private take(status: Status): void {
    this.known.set(status.folder === '' ? '' : vscode.Uri.parse(status.folder).fsPath, status);
    this.statuses.fire(this.status);
  }

  /** Takes in how the client is, which starts a server that ended again by itself. */
  private follow(state: State): void {
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
      throw new Error('the ctxledger language server is not running');
    }
    return this.client;
  }

  private become(state: ServerState): void {
    this.current = state;
    if (state.kind !== 'running') {
      this.known.clear();
    }
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

  /** Returns the options of a client, which asks whether it is still the one that counts. */
  private options(current: () => boolean): LanguageClientOptions {
    const restarts = new Restarts();
    return {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: settings,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => (current() ? this.closed(restarts) : { action: CloseAction.DoNotRestart, handled: true }),
      },
      middleware: {
        executeCommand,
        provideDocumentSymbols: async (document, token, next) => {
          const answer = await next(document, token);
          this.ownSymbols.note(document.uri.toString(), document.version, (answer ?? []) as FoundSymbol[]);
          return answer;
        },
        workspace: { configuration: (params: ConfigurationParams) => params.items.map(() => settings()) },
      },
    };
  }

  private closed(restarts: Restarts): CloseHandlerResult {
    if (restarts.allow(Date.now())) {
      return { action: CloseAction.Restart, handled: true };
    }
    this.become({ kind: 'failed', why: 'the language server keeps crashing' });
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private configure(change: vscode.ConfigurationChangeEvent): void {
    if (change.affectsConfiguration('ctxledger.server.path')) {
      void this.restart();
    } else if (change.affectsConfiguration('ctxledger') && this.current.kind === 'running') {
      this.running().sendNotification(DidChangeConfigurationNotification.type, { settings: settings() })
        .catch((error: unknown) => this.log.warn(failureOf(error).message));
    }
  }
}

/** A client that writes what goes wrong to the log, and never into a message over the editor. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Has the server do a command that anything in VS Code may have named. Errors: that it is not for everything. */
async function executeCommand(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  if (command === serverCommands.askServer) { // of a lens: the extension shows first what would run
    return vscode.commands.executeCommand('ctxledger.askServer', args[0]);
  }
  const admitted = admit(command, args);
  if (admitted === undefined) {
    throw new Error(`${command} can be run only by a command of ctxledger, such as “ctxledger: Forget…”, which asks you first`);
  }
  return next(command, admitted);
}

/** Shows what the server says, which may be in words of the workspace. */
function show({ type, message }: ShowMessageParams): void {
  const text = forMessage(message);
  switch (type) {
    case MessageType.Error:
      return void vscode.window.showErrorMessage(text);
    case MessageType.Warning:
      return void vscode.window.showWarningMessage(text);
    default:
      return void vscode.window.showInformationMessage(text);
  }
}

/**
 * The settings of the server: how much is shown, what somebody has set besides (defaults would override that), and that
 * this client listens to its status.
 */
function settings(): object {
  const ours = vscode.workspace.getConfiguration('ctxledger');
  const { server: _, ...names } = vscode.workspace.getConfiguration().get<Record<string, unknown>>('ctxledger', {});
  const given = Object.keys(names).flatMap((name) => {
    const found = ours.inspect(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { show: ours.get('show'), ...Object.fromEntries(given), status: true };
}

function runs(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
