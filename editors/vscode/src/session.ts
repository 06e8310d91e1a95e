import * as vscode from 'vscode';
import type { Connection } from './link';
import type { Status } from './protocol';
import { findServer, NoServer } from './server';

/** `idle` until something makes the server useful; `missing` if there is none to start; `failed` if it would not stay up. */
export type State = 'idle' | 'starting' | 'running' | 'missing' | 'failed';

/** A server that ends by itself is started again as often as this within the window; then it stays down. */
const RESTARTS = 4, WINDOW_MS = 3 * 60_000;

/** The one server of the window, of which there are never two at a time, and its last status of each folder. */
export class Session implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the state or a folder's status changed. */
  readonly onDidChange = this.changed.event;
  private channel: vscode.LogOutputChannel | undefined;
  readonly statuses = new Map<string, Status>();
  /** The program that was started last, with its version and where it was found. */
  server = '';
  /** Why there is no server, for the user. */
  reason = '';
  private current: State = 'idle';
  private connection: Connection | undefined;
  private starting: Promise<Connection | undefined> | undefined;
  private halt = new AbortController();
  /** Resolves when the last process of the server is gone. */
  private gone: Promise<unknown> = Promise.resolve();
  /** When the server ended by itself, or could not be started. */
  private ends: number[] = [];

  constructor(private readonly context: vscode.ExtensionContext) {}

  /** The log, made when something is said for the first time. */
  get log(): vscode.LogOutputChannel {
    return (this.channel ??= vscode.window.createOutputChannel('isadiff', { log: true }));
  }

  get state(): State {
    return this.current;
  }

  /** Starts the server unless it runs. An error is shown, once; the answer is then undefined. */
  start(): Promise<Connection | undefined> {
    return (this.starting ??= this.begin());
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    this.halt.abort();
    await this.starting;
    const connection = this.connection;
    this.connection = this.starting = undefined;
    this.ends = [];
    this.reason = '';
    this.statuses.clear();
    this.set('idle');
    await connection?.stop();
  }

  /** Runs a command of the server, started first if need be. Rejects with the server's message. */
  async execute<T>(command: string, argument: object, token?: vscode.CancellationToken): Promise<T> {
    const connection = await this.start();
    if (!connection) throw new Error(this.reason || 'The isadiff server was stopped.');
    return await connection.execute(command, argument, token) as T;
  }

  configure(): void {
    this.connection?.configure();
  }

  dispose(): Promise<void> {
    return this.stop().finally(() => {
      this.changed.dispose();
      this.channel?.dispose();
    });
  }

  private async begin(): Promise<Connection | undefined> {
    const { signal } = (this.halt = new AbortController());
    await this.gone;
    this.set('starting');
    while (!signal.aborted) {
      try {
        const [server, { connect }] = await Promise.all([findServer(this.context), import('./link')]);
        this.server = `isadiff ${server.version}: ${server.path} (from the ${server.origin})`;
        const { version } = this.context.extension.packageJSON;
        this.log.info(`${this.server}; extension ${version}, VS Code ${vscode.version}, ${process.platform} ${process.arch}`);
        const connection = await connect(this.context, server.path, this.log, status => this.keep(status), signal);
        this.connection = connection;
        this.gone = connection.ended;
        void connection.ended.then(how => this.lost(connection, how));
        this.set('running');
        return connection;
      } catch (error) {
        const { message } = error as Error;
        if (signal.aborted) break;
        if (error instanceof NoServer) return this.fail('missing', message);
        if (!this.mayStartAgain(message)) return this.fail('failed', `The isadiff server could not be started: ${message}. It is not started again.`);
      }
    }
    return undefined;
  }

  private keep(status: Status): void {
    this.statuses.set(status.folder, status);
    this.changed.fire();
  }

  /** A server that ran has ended: by itself, unless it was stopped. */
  private lost(connection: Connection, how: string): void {
    if (this.connection !== connection) return;
    this.connection = undefined;
    this.statuses.clear();
    const again = this.mayStartAgain(`it ended ${how}`);
    this.starting = again ? this.begin() : Promise.resolve(undefined);
    if (!again) this.fail('failed', 'The isadiff server ended several times in a row and is not started again.');
  }

  private mayStartAgain(why: string): boolean {
    const now = Date.now();
    this.ends = [...this.ends.filter(at => now - at <= WINDOW_MS), now];
    this.log.error(`the server does not run: ${why} (${this.ends.length} of at most ${RESTARTS + 1} times in ${WINDOW_MS / 60_000} minutes)`);
    return this.ends.length <= RESTARTS;
  }

  private fail(state: State, reason: string): undefined {
    this.reason = reason;
    this.log.error(reason);
    this.set(state);
    this.tellWhyNot();
  }

  /** Shows why there is no server, and what can be done. */
  tellWhyNot(): void {
    const mend = this.current === 'missing' ? 'Choose the Binary' : 'Show Log';
    void vscode.window.showErrorMessage(this.reason, mend, 'Try Again').then(choice => {
      if (choice === 'Try Again') void this.restart();
      else if (choice === 'Show Log') this.log.show();
      else if (choice) void vscode.commands.executeCommand('workbench.action.openSettings', 'isadiff.server.path');
    });
  }

  private set(state: State): void {
    this.current = state;
    this.changed.fire();
  }
}
