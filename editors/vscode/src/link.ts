import * as vscode from 'vscode';
import {
  CloseAction, ErrorAction, ExecuteCommandRequest, LanguageClient, RevealOutputChannelOn, State, Trace,
  type DynamicFeature, type StaticFeature,
} from 'vscode-languageclient/node';
import type { Status } from './protocol';
import { settingsFor } from './settings';

/** A server that ends by itself is started again as often as this within the window; then it stays down. */
const RESTARTS = 4, WINDOW_MS = 3 * 60_000;

export interface Events {
  status(status: Status): void;
  /** The server ended by itself, and is (`true`) or is not (`false`) started again. */
  crashed(again: boolean): void;
  /** The server runs, for the first time or again. */
  running(): void;
}

export interface Connection {
  execute(command: string, argument: object): Promise<unknown>;
  configure(): void;
  stop(): Promise<void>;
}

/**
 * The client without the feature that registers every command of the server: the extension's own commands bear these names, work
 * before the server runs, and ask for what a caller left out.
 */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    super.registerFeature('registrationType' in feature && feature.registrationType.method === ExecuteCommandRequest.method ? executesCommands : feature);
  }
}

/** What is left of that feature: the server is told that commands can be run. */
const executesCommands: StaticFeature = {
  fillClientCapabilities: capabilities => { (capabilities.workspace ??= {}).executeCommand = {}; },
  initialize: () => {},
  getState: () => ({ kind: 'static' }),
  clear: () => {},
};

/** Starts the server and returns when it has answered `initialize`. */
export async function connect(context: vscode.ExtensionContext, path: string, log: vscode.LogOutputChannel, events: Events): Promise<Connection> {
  const first = vscode.workspace.workspaceFolders?.[0]?.uri;
  const crashes: number[] = [];
  let stopping = false;
  const client = new Client('isadiff', 'isadiff', { command: path, args: ['lsp'] }, {
    documentSelector: [
      { scheme: 'file', language: 'python' },
      { scheme: 'file', pattern: '**/*.{hip,cu,cuh,cpp,cc,cxx,hpp,h}' },
      { scheme: 'file', pattern: '**/*.{s,amdgcn}' },
    ],
    initializationOptions: { trusted: vscode.workspace.isTrusted, status: true, settings: settingsFor(context, first) },
    outputChannel: log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationFailedHandler: () => false, // the caller reports what `start` rejects with
    errorHandler: {
      error: error => {
        log.error(`connection: ${error.message}`);
        return { action: ErrorAction.Continue, handled: true };
      },
      closed: () => {
        if (stopping) return { action: CloseAction.DoNotRestart, handled: true };
        const now = Date.now();
        while (crashes.length > 0 && now - crashes[0] > WINDOW_MS) crashes.shift();
        crashes.push(now);
        const again = crashes.length <= RESTARTS;
        log.error(`the server ended by itself (${crashes.length} of at most ${RESTARTS + 1} times in ${WINDOW_MS / 60_000} minutes)`);
        events.crashed(again);
        return { action: again ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true };
      },
    },
    middleware: {
      workspace: {
        configuration: params => params.items.map(item =>
          item.section === 'isadiff' ? settingsFor(context, item.scopeUri === undefined ? first : vscode.Uri.parse(item.scopeUri)) : null),
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
  client.onNotification('isadiff/status', (status: Status) => events.status(status));
  client.onDidChangeState(({ newState }) => {
    if (newState === State.Running) events.running();
  });
  try {
    await client.start();
  } catch (error) {
    stopping = true;
    await client.dispose().catch(() => {});
    throw error;
  }
  await client.setTrace(Trace.fromString(vscode.workspace.getConfiguration('isadiff').get('trace.server', 'off')));
  return {
    execute: (command, argument) => client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] }),
    configure: () => void client.sendNotification('workspace/didChangeConfiguration', { settings: { isadiff: settingsFor(context, first) } }),
    stop: async () => {
      stopping = true;
      await client.dispose();
    },
  };
}
