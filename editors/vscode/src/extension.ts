import * as vscode from 'vscode';
import { AssemblyPages } from './assembly';
import { registerCommands } from './commands';
import { explanation } from './explanation';
import { KernelTree } from './kernels';
import { Session } from './session';
import { statusBar } from './statusbar';
import { whenUseful } from './usefulness';

/** What other extensions and the tests can follow. */
export interface Api {
  readonly session: Session;
  readonly assembly: AssemblyPages;
  /** The view *Kernels*, once there was something to show. */
  kernels?: KernelTree;
}

export function activate(context: vscode.ExtensionContext): Api {
  const session = new Session(context);
  const assembly = new AssemblyPages(session);
  const api: Api = { session, assembly };
  const setContext = (key: string, value: unknown) => void vscode.commands.executeCommand('setContext', `isadiff.${key}`, value);
  context.subscriptions.push(
    session, assembly,
    session.onDidChange(() => {
      // Nothing is made for the window before a server is wanted in it.
      if (!api.kernels) context.subscriptions.push(statusBar(session), api.kernels = new KernelTree(session), explanation.register());
      const statuses = [...session.statuses.values()];
      setContext('useful', session.state !== 'idle');
      setContext('running', session.state === 'running');
      setContext('state', session.state);
      setContext('dumps', statuses.some(s => s.counts.total > 0));
      setContext('changed', statuses.some(s => s.counts.changed > 0));
      setContext('baseline', statuses.some(s => s.baseline.exists));
    }),
    vscode.workspace.onDidChangeConfiguration(e => {
      if (!e.affectsConfiguration('isadiff')) return;
      if (session.state === 'idle') return;
      if (e.affectsConfiguration('isadiff.server.path') || e.affectsConfiguration('isadiff.trace.server')) void session.restart();
      else session.configure();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (session.state !== 'idle') void session.restart();
    }),
  );
  registerCommands(context, session, assembly, () => api.kernels);
  context.subscriptions.push(whenUseful(() => void session.start()));
  return api;
}
