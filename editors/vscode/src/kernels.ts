import * as vscode from 'vscode';
import { folderName } from './folders';
import type { Cell, Kernel, Kernels, Problem } from './protocol';
import type { Session } from './session';

export type Node =
  | { kind: 'folder'; folder: string }
  | { kind: 'file'; folder: string; uri: string; kernels: Kernel[] }
  | { kind: 'kernel'; folder: string; kernel: Kernel }
  | { kind: 'cell'; cell: Cell; compared: boolean }
  | { kind: 'problem'; folder: string; kernel: Kernel; problem: Problem };

/** Kernels by status, what needs a look first; with the icon of each. */
const looks: Record<Kernel['status'], [rank: number, icon: string, color?: string]> = {
  untrustworthy: [0, 'question', 'list.warningForeground'],
  'one-sided': [1, 'question', 'list.warningForeground'],
  worse: [2, 'arrow-up', 'list.errorForeground'],
  better: [3, 'arrow-down', 'testing.iconPassed'],
  changed: [4, 'arrow-swap'],
  compiling: [5, 'sync'],
  edited: [6, 'edit'],
  'no-baseline': [7, 'circle-outline'],
  pending: [8, 'watch'],
  unchanged: [9, 'check'],
};

/** The view *Kernels*: folder (if there are several) › file › kernel › figures and problems. */
export class KernelTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly listener: vscode.Disposable;

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView('isadiff.kernels', { treeDataProvider: this, showCollapseAll: true });
    this.listener = session.onDidChange(() => {
      this.changed.fire();
      const sum = (count: 'worse' | 'untrustworthy') => [...session.statuses.values()].reduce((n, { counts }) => n + counts[count], 0);
      const worse = sum('worse'), untrustworthy = sum('untrustworthy');
      this.view.badge = worse + untrustworthy === 0 ? undefined
        : { value: worse + untrustworthy, tooltip: `kernels that got worse: ${worse}; untrustworthy: ${untrustworthy}` };
    });
  }

  dispose(): void {
    this.listener.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    switch (node?.kind) {
      case undefined: {
        const folders = [...this.session.statuses.keys()].sort();
        return folders.length === 1 ? this.files(folders[0]) : folders.map(folder => ({ kind: 'folder', folder }));
      }
      case 'folder':
        return this.files(node.folder);
      case 'file':
        return node.kernels.map(kernel => ({ kind: 'kernel', folder: node.folder, kernel }));
      case 'kernel':
        return [
          ...(node.kernel.problems ?? []).map((problem): Node => ({ ...node, kind: 'problem', problem })),
          ...(node.kernel.cells ?? []).filter(worthShowing).map((cell): Node => ({ kind: 'cell', cell, compared: node.kernel.status !== 'untrustworthy' })),
        ];
      default:
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'folder': return folderItem(node.folder, this.session.statuses.get(node.folder)?.text ?? '');
      case 'file': return fileItem(node.uri, node.kernels);
      case 'kernel': return kernelItem(node.folder, node.kernel);
      case 'cell': return cellItem(node.cell, node.compared);
      case 'problem': return problemItem(node.problem);
    }
  }

  /** The kernels of a folder, by the file of their definition. Those that belong to none stand under their assembly. */
  private async files(folder: string): Promise<Node[]> {
    const answer = await this.session.execute<Kernels>('isadiff.kernels', { folder });
    const files = new Map<string, Kernel[]>();
    for (const kernel of answer.kernels ?? []) {
      const uri = kernel.definition?.uri ?? kernel.candidates?.[0]?.uri ?? kernel.isa?.uri ?? '';
      files.set(uri, [...files.get(uri) ?? [], kernel]);
    }
    return [...files].sort(([a], [b]) => a.localeCompare(b)).map(([uri, kernels]) => ({
      kind: 'file', folder, uri, kernels: kernels.sort((a, b) => looks[a.status][0] - looks[b.status][0] || a.name.localeCompare(b.name)),
    }));
  }
}

/** Unchanged figures of no consequence would hide the others. */
function worthShowing(cell: Cell): boolean {
  return (cell.before ?? cell.after) !== null && (cell.trigger || cell.before !== cell.after);
}

function folderItem(folder: string, text: string): vscode.TreeItem {
  const item = new vscode.TreeItem(folderName(folder), vscode.TreeItemCollapsibleState.Expanded);
  item.id = folder;
  item.description = text;
  item.iconPath = vscode.ThemeIcon.Folder;
  return item;
}

function fileItem(uri: string, kernels: Kernel[]): vscode.TreeItem {
  const resource = vscode.Uri.parse(uri);
  const item = new vscode.TreeItem(uri ? vscode.workspace.asRelativePath(resource, false) : 'without a definition', vscode.TreeItemCollapsibleState.Expanded);
  item.id = uri + kernels[0].key;
  item.description = kernels.length > 1 ? `${kernels.length} kernels` : '';
  item.iconPath = vscode.ThemeIcon.File;
  return item;
}

function kernelItem(folder: string, kernel: Kernel): vscode.TreeItem {
  const [, icon, color] = looks[kernel.status];
  const item = new vscode.TreeItem(kernel.name, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${folder} ${kernel.key}`;
  item.description = kernel.stale ? `older than its file: ${kernel.summary}` : kernel.summary;
  item.tooltip = `${kernel.key} [${kernel.target}]: ${kernel.status}`;
  item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
  item.contextValue = ['kernel', kernel.isa && 'isa', isMoved(kernel) && 'moved', kernel.problems?.length && 'problem'].filter(Boolean).join(' ');
  const place = kernel.definition ?? kernel.candidates?.[0];
  if (place) item.command = open('Go to Definition', place.uri, place.range.start.line, place.range.start.character);
  else if (kernel.isa) item.command = open('Show ISA', kernel.isa.uri, kernel.isa.line, 0);
  return item;
}

/** Whether there are new figures that could be accepted into the baseline. */
export function isMoved(kernel: Kernel): boolean {
  return kernel.status === 'worse' || kernel.status === 'better' || kernel.status === 'changed' || kernel.status === 'one-sided';
}

function open(title: string, uri: string, line: number, character: number): vscode.Command {
  const selection = new vscode.Range(line, character, line, character);
  return { title, command: 'vscode.open', arguments: [vscode.Uri.parse(uri), { selection } satisfies vscode.TextDocumentShowOptions] };
}

/** A figure; of a kernel that cannot be judged, what either side has, as no comparison. */
function cellItem({ metric, before, after, delta }: Cell, compared: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(metric);
  if (!compared) item.description = [after !== null && `${after} in the dump`, before !== null && `${before} in the baseline`].filter(Boolean).join(', ');
  else if (after === null) item.description = `${before} in the baseline`;
  else item.description = before === null || before === after ? after : `${before} → ${after}`;
  if (delta) item.description += ` (${delta > 0 ? '+' : ''}${delta})`;
  return item;
}

function problemItem(problem: Problem): vscode.TreeItem {
  const item = new vscode.TreeItem(problem.code, vscode.TreeItemCollapsibleState.None);
  item.description = problem.message;
  item.tooltip = new vscode.MarkdownString().appendText(`${problem.message}\n\n${problem.mend}`);
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = problem.command ? 'problem mend' : 'problem';
  return item;
}
