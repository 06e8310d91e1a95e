import * as vscode from 'vscode';
import type { Connection } from './link';
import type { Status } from './protocol';
import { findServer, NoServer } from './server';

/** `idle` until something makes the server useful; `missing` if there is none to start; `failed` if it would not stay up. */
export type State = 'idle' | 'starting' | 'running' | 'missing' | 'failed';

/** The one server of the window: it is started once, and its last status of each folder is kept. */
export class Session implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the state or a folder's status changed. */
  readonly onDidChange = this.changed.event;
  private channel: vscode.LogOutputChannel | undefined;
  readonly statuses = new Map<string, Status>();
  /** Why there is no server, for the user. */
  reason = '';
  private current: State = 'idle';
  private connection: Connection | undefined;
  private starting: Promise<Connection | undefined> | undefined;

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
    await this.starting;
    const connection = this.connection;
    this.connection = this.starting = undefined;
    this.statuses.clear();
    this.set('idle');
    await connection?.stop();
  }

  /** Runs a command of the server, started first if need be. Rejects with the server's message. */
  async execute<T>(command: string, argument: object): Promise<T> {
    const connection = await this.start();
    if (!connection) throw new Error(this.reason);
    return await connection.execute(command, argument) as T;
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
    this.set('starting');
    try {
      const [server, { connect }] = await Promise.all([findServer(this.context), import('./link')]);
      this.log.info(`isadiff ${server.version}: ${server.path} (from the ${server.origin})`);
      this.connection = await connect(this.context, server.path, this.log, {
        status: status => {
          this.statuses.set(status.folder, status);
          this.changed.fire();
        },
        running: () => this.set('running'),
        crashed: again => {
          this.statuses.clear();
          this.set(again ? 'starting' : 'failed');
          if (!again) this.fail('The isadiff server ended several times in a row and is not started again.');
        },
      });
    } catch (error) {
      this.set(error instanceof NoServer ? 'missing' : 'failed');
      this.fail(error instanceof NoServer ? error.message : `The isadiff server could not be started: ${(error as Error).message}`);
    }
    return this.connection;
  }

  private fail(reason: string): void {
    this.reason = reason;
    this.connection = undefined;
    this.log.error(reason);
    const mend = this.current === 'missing' ? 'Choose the Binary' : 'Show Log';
    void vscode.window.showErrorMessage(reason, mend, 'Try Again').then(choice => {
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
