import * as vscode from 'vscode';
import type { Session } from './session';
import type { Status } from './protocol';

/** What needs a look first: a verdict that cannot be trusted, a regression, then what is under way or missing. */
const urgency: Record<Status['state'], number> = { untrustworthy: 0, regression: 1, 'no-dumps': 2, 'no-baseline': 3, compiling: 4, pending: 5, edited: 6, ok: 7 };

/** The status of the folder of the active editor; without one, that which needs a look first. */
export function currentStatus(session: Session): Status | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active && vscode.workspace.getWorkspaceFolder(active);
  const all = [...session.statuses.values()];
  return (folder && all.find(s => isFolder(s.folder, folder))) ?? all.sort((a, b) => urgency[a.state] - urgency[b.state])[0];
}

function isFolder(uri: string, folder: vscode.WorkspaceFolder): boolean {
  return vscode.Uri.parse(uri).fsPath === folder.uri.fsPath;
}

export function folderName(uri: string): string {
  const parsed = vscode.Uri.parse(uri);
  return vscode.workspace.workspaceFolders?.find(f => isFolder(uri, f))?.name ?? parsed.path.split('/').pop() ?? uri;
}

/** The folder that a command is about: the only one, that of the active editor, or the user's choice; undefined if none was chosen. */
export async function chooseFolder(session: Session): Promise<string | undefined> {
  const all = [...session.statuses.values()];
  const active = vscode.window.activeTextEditor?.document.uri;
  if (all.length <= 1 || (active && vscode.workspace.getWorkspaceFolder(active))) return currentStatus(session)?.folder ?? '';
  const pick = await vscode.window.showQuickPick(
    all.map(status => ({ label: folderName(status.folder), description: status.text, status })), { title: 'isadiff', placeHolder: 'Which folder?' });
  return pick?.status.folder;
}
