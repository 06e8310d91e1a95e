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

/**
 * Ticks the steps of the walkthrough that are done. VS Code takes no notice of what was so already when it read the walkthrough, so each is told
 * as something that happens.
 */
function tickSteps(session: Session): void {
  const statuses = [...session.statuses.values()];
  const steps = { stepDumps: statuses.some(s => s.counts.total > 0), stepBaseline: statuses.some(s => s.baseline.exists), stepChanged: statuses.some(s => s.counts.changed > 0) };
  for (const [step, done] of Object.entries(steps))
    for (const value of done ? [true, false] : []) void vscode.commands.executeCommand('setContext', `isadiff.${step}`, value);
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
      setContext('useful', session.state !== 'idle');
      setContext('running', session.state === 'running');
      setContext('state', session.state);
      tickSteps(session);
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
  context.subscriptions.push(vscode.commands.registerCommand('isadiff.walkthrough', async () => {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#start`);
    tickSteps(session);
  }));
  context.subscriptions.push(whenUseful(() => void session.start()));
  return api;
}
