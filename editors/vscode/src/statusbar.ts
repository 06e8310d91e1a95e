import * as vscode from 'vscode';
import { currentStatus } from './folders';
import type { Status } from './protocol';
import type { Session } from './session';

/** The status bar item: hidden until a server was wanted; the verdict and counts; a click opens the menu. */
export function statusBar(session: Session): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('isadiff.status', vscode.StatusBarAlignment.Left, 0);
  item.name = 'isadiff';
  item.command = 'isadiff.menu';
  const show = () => {
    const status = currentStatus(session);
    if (session.state === 'idle') return item.hide();
    item.text = text(session, status && bar(status));
    item.tooltip = tooltip(session, status?.tooltip);
    item.accessibilityInformation = { label: `isadiff: ${status?.verdict ?? session.state}`, role: 'button' };
    const alarmed = session.state === 'missing' || session.state === 'failed' || status?.state === 'regression' || status?.state === 'untrustworthy';
    item.backgroundColor = alarmed ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  show();
  return vscode.Disposable.from(item, session.onDidChange(show), vscode.window.onDidChangeActiveTextEditor(show));
}

/** The text of a status, with its folder and the regressions of the others where several are open. */
function bar(status: Status): string {
  const text = status.name ? status.text.replace(/^isadiff/, () => `isadiff ${status.name}`) : status.text;
  return status.elsewhere ? `${text} · ${status.elsewhere}` : text;
}

function text(session: Session, running: string | undefined): string {
  switch (session.state) {
    case 'missing': return '$(warning) isadiff: no server';
    case 'failed': return '$(warning) isadiff: stopped';
    default: return running ?? '$(loading~spin) isadiff';
  }
}

function tooltip(session: Session, running: string | undefined): string {
  switch (session.state) {
    case 'missing': case 'failed': return session.reason;
    default: return running ?? 'isadiff reads the dumps';
  }
}

/** The menu behind the status bar item: what fits the state first. */
export async function showMenu(session: Session): Promise<void> {
  const status = currentStatus(session);
  const entry = (label: string, command: string, description = ''): Entry => ({ label, command, description });
  const entries: Entry[] = [];
  if (session.state === 'running' && status) {
    const baseline = entry('$(pinned) Take baseline', 'isadiff.snapshotBaseline', status.baseline.exists ? 'the old one is kept for the undo' : 'there is none yet');
    if (!status.baseline.exists) entries.push(baseline);
    entries.push(
      entry('$(open-preview) Show report', 'isadiff.showReport'),
      entry('$(list-tree) Show the Kernels view', 'isadiff.kernels.focus', kernelCounts(status.counts)),
      entry('$(search) Why a kernel changed …', 'isadiff.why'),
      entry('$(git-stash) Update the baseline for a kernel …', 'isadiff.acceptKernel'),
      entry('$(file-binary) Show the ISA of a kernel …', 'isadiff.showIsa'),
      entry('$(question) Explain a problem …', 'isadiff.explain'));
    if (status.baseline.exists) entries.push(baseline, entry('$(discard) Undo the last baseline', 'isadiff.undoBaseline'));
    if (vscode.workspace.isTrusted)
      entries.push(entry('$(run-all) Compile and capture', 'isadiff.capture'), entry('$(git-compare) Compare with a git revision …', 'isadiff.compare'));
    entries.push(entry('$(refresh) Rescan', 'isadiff.rescan'));
  }
  entries.push(entry('$(debug-restart) Restart the server', 'isadiff.restart'), entry('$(output) Show the log', 'isadiff.showLog'),
    entry('$(info) Server status', 'isadiff.serverStatus', 'what a report of a fault needs'));
  const pick = await vscode.window.showQuickPick(entries, { title: status?.text ?? 'isadiff', placeHolder: status?.tooltip.split('\n')[0] ?? session.reason });
  if (pick) await vscode.commands.executeCommand(pick.command);
}

interface Entry extends vscode.QuickPickItem {
  command: string;
}

function kernelCounts(counts: { compared: number; total: number; pending: number }): string {
  return `compared ${counts.compared} of ${counts.total}` + (counts.pending ? `, ${counts.pending} pending` : '');
}
