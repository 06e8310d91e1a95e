import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, ExecuteCommandRequest, LanguageClient, RevealOutputChannelOn, Trace,
  type DynamicFeature, type StaticFeature,
} from 'vscode-languageclient/node';
import type { Status } from './protocol';
import { settingsFor } from './settings';

/** How long a server that was told to end may take for it. */
const PATIENCE_MS = 2000;

/** A server that has answered `initialize`. */
export interface Connection {
  execute(command: string, argument: object, token?: vscode.CancellationToken): Promise<unknown>;
  configure(): void;
  /** Resolves when the process is gone, for whatever reason, with how it ended. */
  readonly ended: Promise<string>;
  /** Ends the server and returns when its process is gone. */
  stop(): Promise<void>;
}

/** A process of the server: from its start to its end, which comes once. */
class Server {
  /** Resolves when the process is gone and all that it wrote was read, with how it ended. */
  readonly ended: Promise<string>;

  private constructor(readonly process: ChildProcessWithoutNullStreams) {
    process.on('error', () => {}); // one that is gone can be told nothing
    process.stdin.on('error', () => {});
    const gone = new Promise<string>(resolve => process.once('exit', (code, signal) => {
      // Where a script started the server and died alone, the server still holds its output; it ends as its input does.
      process.stdin.destroy();
      resolve(signal ? `by ${signal}` : `with exit code ${code}`);
    }));
    const read = new Promise<void>(resolve => process.stdout.once('close', resolve));
    this.ended = Promise.all([gone, read]).then(([how]) => how);
  }

  static async start(path: string): Promise<Server> {
    const { scheme, fsPath } = firstFolder() ?? {};
    const child = spawn(path, ['lsp'], { cwd: scheme === 'file' && fsPath && existsSync(fsPath) ? fsPath : undefined, windowsHide: true });
    const server = new Server(child);
    await once(child, 'spawn'); // rejects with the reason why it could not be started
    return server;
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    this.process.stdin.destroy();
    this.process.stdout.resume();
    await this.ended;
  }

  /** Waits for the end of a server that was told to end. */
  async leave(): Promise<void> {
    const limit = setTimeout(() => void this.kill(), PATIENCE_MS);
    await this.ended;
    clearTimeout(limit);
  }
}

/**
 * The client of one process. It starts none by itself: the session does, when the last one is gone. And it is without the feature that
 * registers every command of the server: the extension's own commands bear these names, work before the server runs, and ask for what a
 * caller left out.
 */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    super.registerFeature('registrationType' in feature && feature.registrationType.method === ExecuteCommandRequest.method ? executesCommands : feature);
  }

  /** Errors go to the log; whoever started the client shows what a person must know. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** What is left of that feature: the server is told that commands can be run. */
const executesCommands: StaticFeature = {
  fillClientCapabilities: capabilities => { (capabilities.workspace ??= {}).executeCommand = {}; },
  initialize: () => {},
  getState: () => ({ kind: 'static' }),
  clear: () => {},
};

/**
 * Starts the server and returns when it has answered `initialize`. Rejects when it did not, or was to be halted before, and then its process
 * is gone.
 */
export async function connect(
  context: vscode.ExtensionContext, path: string, log: vscode.LogOutputChannel, tell: (status: Status) => void, halt: AbortSignal,
): Promise<Connection> {
  const server = await Server.start(path);
  const kill = () => void server.kill();
  halt.addEventListener('abort', kill);
  let closed = false;
  const client = clientOf(context, server, log, () => {
    closed = true;
    kill(); // a server that cannot be heard any more
  });
  client.onNotification('isadiff/status', tell);
  try {
    halt.throwIfAborted();
    await client.start();
    await client.setTrace(Trace.fromString(vscode.workspace.getConfiguration('isadiff').get('trace.server', 'off')));
  } catch (error) {
    const refused = !closed && server.process.exitCode === null && server.process.signalCode === null;
    await server.kill();
    await client.dispose().catch(() => {}); // it never ran
    throw refused ? error : new Error(`it ended ${await server.ended} before it was ready`);
  } finally {
    halt.removeEventListener('abort', kill);
  }
  return {
    execute: async (command, argument, token) => {
      try {
        return await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }, token);
      } catch (error) {
        throw client.isRunning() ? error : new Error('The isadiff server ended before it had answered.');
      }
    },
    configure: () => {
      const settings = { isadiff: settingsFor(context, firstFolder()) };
      client.sendNotification('workspace/didChangeConfiguration', { settings }).catch(() => {}); // the next one is started with them
    },
    ended: server.ended,
    stop: async () => {
      await client.dispose().catch(() => {}); // it may have ended just now
      await server.leave();
    },
  };
}

function firstFolder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

function clientOf(context: vscode.ExtensionContext, server: Server, log: vscode.LogOutputChannel, closed: () => void): Client {
  return new Client('isadiff', 'isadiff', async () => server.process, {
    documentSelector: [
      { scheme: 'file', language: 'python' },
      { scheme: 'file', pattern: '**/*.{hip,cu,cuh,cpp,cc,cxx,hpp,h}' },
      { scheme: 'file', pattern: '**/*.{s,amdgcn}' },
      { scheme: 'file', pattern: '**/{isadiff,pyproject}.toml' },
    ],
    initializationOptions: { trusted: vscode.workspace.isTrusted, status: true, settings: settingsFor(context, firstFolder()) },
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false, // the caller reports what `start` rejects with
    errorHandler: {
      error: error => {
        log.error(`connection: ${error.message}`);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        closed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      workspace: {
        configuration: params => params.items.map(item =>
          item.section === 'isadiff' ? settingsFor(context, item.scopeUri === undefined ? firstFolder() : vscode.Uri.parse(item.scopeUri)) : null),
        didChangeConfiguration: async () => {}, // `configure` sends what changed, without the defaults
      },
      window: {
        async showDocument(params, token, next) {
          // The report is Markdown: shown as it is meant to look.
          if (params.external || !/\.md$/.test(params.uri)) return next(params, token);
          await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.parse(params.uri));
          return { success: true };
        },
      },
    },
  });
}
