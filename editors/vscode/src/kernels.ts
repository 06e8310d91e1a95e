import * as vscode from 'vscode';
import { folderName } from './folders';
import type { Cell, Kernel, Kernels, Problem, Status } from './protocol';
import type { Session } from './session';

export type Node =
  | { kind: 'folder'; folder: string }
  | { kind: 'file'; folder: string; uri: string; kernels: Kernel[]; parent?: Node }
  /** What is as it was: files of a folder, or kernels of a file. */
  | { kind: 'quiet'; folder: string; files?: Node[]; uri: string; kernels: Kernel[]; open: boolean; parent?: Node }
  | { kind: 'kernel'; folder: string; kernel: Kernel; parent?: Node }
  | { kind: 'cell'; cell: Cell; compared: boolean }
  | { kind: 'rest'; id: string; cells: Cell[]; compared: boolean }
  | { kind: 'problem'; folder: string; kernel: Kernel; problem: Problem };

/** The icons of what the server marks, and of the states without a mark. */
const marks: Record<string, [icon: string, color?: string]> = {
  '▲': ['triangle-up', 'list.errorForeground'], '▼': ['triangle-down', 'testing.iconPassed'], '?': ['question', 'list.warningForeground'],
  '✎': ['edit'], '◌': ['sync'],
};
const icons: Partial<Record<Kernel['status'], string>> = { unchanged: 'pass', changed: 'pass', pending: 'watch' };

/** Whether a kernel is a row of its own in its file, rather than one of those that are as they were. */
function isNews({ status, label }: Kernel): boolean {
  return !['unchanged', 'changed', 'no-baseline', 'pending'].includes(status) || label.startsWith('▲');
}

function isRegression({ status, label }: Kernel): boolean {
  return ['worse', 'untrustworthy', 'one-sided'].includes(status) || label.startsWith('▲');
}

/** The view *Kernels*: folder (if there are several) › file › kernel › figures and problems, the worst first. */
export class KernelTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly view: vscode.TreeView<Node>;
  private readonly listeners: vscode.Disposable;
  private readonly clock: NodeJS.Timeout;
  /** The last answer of each folder, by the sequence number of its state. */
  private readonly answers = new Map<string, { seq: number; kernels: Promise<Kernel[]> }>();
  private words: string[] = [];
  private onlyChanged = false;
  /** The place that the last step through the regressions led to. */
  private visited = '';

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView('isadiff.kernels', { treeDataProvider: this, showCollapseAll: true });
    this.clock = setInterval(() => this.view.visible && this.changed.fire(), 60_000); // ages are those of now
    this.listeners = session.onDidChange(() => {
      if (session.state !== 'running') this.answers.clear(); // the next server counts anew
      this.changed.fire();
      const sum = (count: 'worse' | 'untrustworthy') => [...session.statuses.values()].reduce((n, { counts }) => n + counts[count], 0);
      const worse = sum('worse'), untrustworthy = sum('untrustworthy');
      this.view.badge = worse + untrustworthy === 0 ? undefined
        : { value: worse + untrustworthy, tooltip: `kernels that got worse: ${worse}; untrustworthy: ${untrustworthy}` };
    });
  }

  dispose(): void {
    clearInterval(this.clock);
    this.listeners.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  /** Shows kernels with news alone, or all of them. */
  showOnlyChanged(on: boolean): void {
    this.onlyChanged = on;
    void vscode.commands.executeCommand('setContext', 'isadiff.onlyChanged', on);
    this.changed.fire();
  }

  /** Shows the kernels alone whose file, name, key or figures have all words of a text. */
  filter(text: string): void {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    void vscode.commands.executeCommand('setContext', 'isadiff.filtered', this.words.length > 0);
    this.changed.fire();
  }

  /** Asks for the text of the filter; the view follows while it is typed, and giving up takes it back. */
  askFilter(): void {
    const before = this.words.join(' '), input = vscode.window.createInputBox();
    input.title = 'isadiff';
    input.placeholder = 'Show kernels with these words in file, name or figures; nothing shows all';
    input.value = before;
    let taken = false;
    input.onDidChangeValue(text => this.filter(text));
    input.onDidAccept(() => { taken = true; input.hide(); });
    input.onDidHide(() => {
      if (!taken) this.filter(before);
      input.dispose();
    });
    input.show();
  }

  /** Goes to the next definition, or the one before, with a kernel that got worse or cannot be judged: in the order of the view, and round. */
  async step(by: 1 | -1): Promise<void> {
    const nodes: Node[] = [];
    const folders = this.folders();
    for (const folder of folders)
      for (const file of await this.files(folder, folders.length > 1 ? { kind: 'folder', folder } : undefined))
        if (file.kind === 'file') for (const node of this.kernelsOf(file)) if (node.kind === 'kernel' && isRegression(node.kernel)) nodes.push(node);
    const places = nodes.map(node => node.kind === 'kernel' ? placeOf(node.kernel) : undefined);
    const keys = places.map(p => p && `${p.uri} ${p.line}`);
    const stops = keys.flatMap((key, n) => key && keys.indexOf(key) === n ? [n] : []); // variants of a definition have one place
    if (stops.length === 0) return void vscode.window.setStatusBarMessage('isadiff: no regression', 5000);
    const editor = vscode.window.activeTextEditor, here = editor && `${editor.document.uri} ${editor.selection.active.line}`;
    let at = stops.findIndex(n => keys[n] === here);
    if (at < 0) at = stops.findIndex(n => keys[n] === this.visited);
    const n = stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : (at + by + stops.length) % stops.length];
    const { uri, line, character } = places[n]!;
    this.visited = keys[n]!;
    const target = new vscode.Range(line, character, line, character);
    await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: target });
    if (this.view.visible) await this.view.reveal(nodes[n], { select: true, focus: false }).then(undefined, () => {}); // the tree may have changed
  }

  async getChildren(node?: Node): Promise<Node[]> {
    switch (node?.kind) {
      case undefined: {
        const folders = this.folders();
        const children = folders.length === 1 ? await this.files(folders[0]) : folders.map((folder): Node => ({ kind: 'folder', folder }));
        await this.tell(folders);
        return children;
      }
      case 'folder':
        return this.files(node.folder, node);
      case 'file':
        return this.kernelsOf(node);
      case 'quiet':
        return node.files ?? node.kernels.map(kernel => ({ kind: 'kernel', folder: node.folder, kernel, parent: node }));
      case 'kernel':
        return figuresOf(node);
      case 'rest':
        return node.cells.map(cell => ({ kind: 'cell', cell, compared: node.compared }));
      default:
        return [];
    }
  }

  getParent(node: Node): Node | undefined {
    return 'parent' in node ? node.parent : undefined;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'folder': return folderItem(node.folder, this.session.statuses.get(node.folder)?.text ?? '');
      case 'file': return this.fileItem(node);
      case 'quiet': return this.quietItem(node);
      case 'kernel': return kernelItem(node.folder, node.kernel);
      case 'cell': return cellItem(node.cell, node.compared);
      case 'rest': return restItem(node);
      case 'problem': return problemItem(node.problem);
    }
  }

  /** The tooltip of a kernel is its hover, made when it is looked at. */
  async resolveTreeItem(item: vscode.TreeItem, node: Node, token: vscode.CancellationToken): Promise<vscode.TreeItem> {
    if (node.kind !== 'kernel') return item;
    const answer = await this.session.execute<{ text: string }>('isadiff.hover', { folder: node.folder, kernel: node.kernel.key }, token);
    item.tooltip = new vscode.MarkdownString(answer.text);
    return item;
  }

  private folders(): string[] {
    return [...this.session.statuses.keys()].sort();
  }

  /** The kernels of a folder, the worst first; asked for once for each of its states. */
  private kernels(folder: string): Promise<Kernel[]> {
    const seq = this.session.statuses.get(folder)?.seq ?? 0, last = this.answers.get(folder);
    if (last?.seq === seq) return last.kernels;
    const kernels = this.session.execute<Kernels>('isadiff.kernels', { folder }).then(answer => answer.kernels ?? []);
    this.answers.set(folder, { seq, kernels });
    kernels.catch(() => this.answers.delete(folder));
    return kernels;
  }

  private matches(kernel: Kernel): boolean {
    if (this.onlyChanged && !isNews(kernel)) return false;
    if (this.words.length === 0) return true;
    const text = [relative(fileOf(kernel)), kernel.name, kernel.key, kernel.variant ?? '', kernel.label].join(' ').toLowerCase();
    return this.words.every(word => text.includes(word));
  }

  /** The files of a folder that have news, the worst first, then those that have none. Kernels without a definition stand under their assembly. */
  private async files(folder: string, parent?: Node): Promise<Node[]> {
    const files = new Map<string, Kernel[]>();
    for (const kernel of await this.kernels(folder)) {
      if (!this.matches(kernel)) continue;
      const uri = fileOf(kernel), kernels = files.get(uri);
      if (kernels) kernels.push(kernel);
      else files.set(uri, [kernel]);
    }
    const node = ([uri, kernels]: [string, Kernel[]]): Node => ({ kind: 'file', folder, uri, kernels, parent });
    const news = [...files].filter(([, kernels]) => kernels.some(isNews)).map(node);
    const quiet = [...files].filter(([, kernels]) => !kernels.some(isNews)).sort(([a], [b]) => a.localeCompare(b));
    if (quiet.length === 0 || this.words.length > 0) return [...news, ...quiet.map(node)];
    if (quiet.length === 1) return [...news, node(quiet[0])];
    const group: Node & { kind: 'quiet' } = { kind: 'quiet', folder, uri: '', kernels: quiet.flatMap(([, kernels]) => kernels), open: news.length === 0, parent };
    group.files = quiet.map(([uri, kernels]): Node => ({ kind: 'file', folder, uri, kernels, parent: group }));
    return [...news, group];
  }

  /** The kernels of a file that have news, then the others: as one row, unless there are no more than those. */
  private kernelsOf(file: Node & { kind: 'file' }): Node[] {
    const { folder, uri, kernels } = file;
    const node = (kernel: Kernel): Node => ({ kind: 'kernel', folder, kernel, parent: file });
    const news = kernels.filter(isNews), quiet = kernels.filter(k => !isNews(k));
    if (news.length === 0 || quiet.length === 0 || this.words.length > 0) return kernels.map(node);
    return [...news.map(node), { kind: 'quiet', folder, uri, kernels: quiet, open: false, parent: file }];
  }

  /** Says above the tree how all stands, and which part of it is shown. */
  private async tell(folders: string[]): Promise<void> {
    const lines: string[] = [];
    if (folders.length === 1) lines.push(summary(await this.kernels(folders[0]), this.session.statuses.get(folders[0])));
    if (this.words.length > 0) lines.push(`only with “${this.words.join(' ')}”`);
    else if (this.onlyChanged) lines.push('only what changed');
    this.view.message = lines.filter(Boolean).join(' · ') || undefined;
  }

  private fileItem({ folder, uri, kernels }: Node & { kind: 'file' }): vscode.TreeItem {
    const open = kernels.some(isNews) || this.words.length > 0;
    const path = relative(uri), cut = path.lastIndexOf('/'); // a narrow view cuts the folder
    const item = new vscode.TreeItem(path.slice(cut + 1) || 'without a definition', vscode.TreeItemCollapsibleState[open ? 'Expanded' : 'Collapsed']);
    item.id = `${open ? 'open' : 'file'} ${folder} ${uri}`;
    item.description = [counts(kernels), path.slice(0, Math.max(cut, 0))].filter(Boolean).join(' · ');
    item.iconPath = vscode.ThemeIcon.File;
    return item;
  }

  private quietItem({ folder, uri, files, kernels, open }: Node & { kind: 'quiet' }): vscode.TreeItem {
    const all = (...statuses: Kernel['status'][]) => kernels.every(k => statuses.includes(k.status));
    const state = all('unchanged', 'changed') ? 'without a change' : all('no-baseline') ? 'without a baseline' : all('pending') ? 'not compiled yet' : 'without news';
    const what = files ? number(files.length, 'file') : number(kernels.length, 'kernel');
    const item = new vscode.TreeItem(`${what} ${state}`, vscode.TreeItemCollapsibleState[open ? 'Expanded' : 'Collapsed']);
    item.id = `quiet ${open} ${folder} ${uri}`;
    item.description = files ? counts(kernels) : '';
    return item;
  }
}

function fileOf(kernel: Kernel): string {
  return kernel.definition?.uri ?? kernel.candidates?.[0]?.uri ?? kernel.isa?.uri ?? '';
}

function relative(uri: string): string {
  return uri && vscode.workspace.asRelativePath(vscode.Uri.parse(uri), false);
}

function placeOf(kernel: Kernel): { uri: string; line: number; character: number } | undefined {
  const place = kernel.definition ?? kernel.candidates?.[0];
  if (place) return { uri: place.uri, ...place.range.start };
  return kernel.isa && { uri: kernel.isa.uri, line: kernel.isa.line, character: 0 };
}

function number(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** Kernels by what became of them: “▲1 ?1 ✓297”. */
function counts(kernels: Kernel[]): string {
  const of = (mark: string, fits: (kernel: Kernel) => boolean) => {
    const n = kernels.filter(fits).length;
    return n > 0 ? [mark + n] : [];
  };
  const marked = (mark: string) => of(mark, k => k.label.startsWith(mark));
  const still = (k: Kernel) => !isNews(k);
  return [
    ...marked('▲'), ...marked('?'), ...marked('◌'), ...marked('✎'), ...marked('▼'),
    ...of('✓', k => still(k) && (k.status === 'unchanged' || k.status === 'changed')),
    ...of('', k => still(k) && k.status === 'no-baseline'), ...of('not compiled ', k => still(k) && k.status === 'pending'),
  ].join(' ');
}

/** The line above the tree: “▲2 ?1 ✓297 · gfx942 · baseline 2 min ago”. */
function summary(kernels: Kernel[], status: Status | undefined): string {
  if (kernels.length === 0) return '';
  const targets = [...new Set(kernels.map(k => k.target))];
  const baseline = !status?.baseline.exists ? 'no baseline' : status.baseline.written ? `baseline ${ago(Date.now() - Date.parse(status.baseline.written))}` : '';
  return [counts(kernels), targets.length > 2 ? `${targets.length} targets` : targets.join(', '), baseline].filter(Boolean).join(' · ');
}

function ago(ms: number): string {
  const minutes = Math.floor(Math.max(ms, 0) / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} days ago`;
}

function folderItem(folder: string, text: string): vscode.TreeItem {
  const item = new vscode.TreeItem(folderName(folder), vscode.TreeItemCollapsibleState.Expanded);
  item.id = folder;
  item.description = text;
  item.iconPath = vscode.ThemeIcon.Folder;
  return item;
}

/** Figures are the label and the name its description: a narrow view cuts the name, never the news. Where there are none, the name tells rows apart. */
function kernelItem(folder: string, kernel: Kernel): vscode.TreeItem {
  const [mark, ...words] = kernel.label.split(' ');
  const [icon, color] = marks[mark] ?? [icons[kernel.status] ?? 'circle-outline'];
  const label = marks[mark] ? words.join(' ') : kernel.label;
  const name = [kernel.name, kernel.variant].filter(Boolean).join(' '), age = kernel.stale ? ' · older than its file' : '';
  const [first, second] = isNews(kernel) ? [label, name] : [name, label];
  const item = new vscode.TreeItem(first, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${folder} ${kernel.key}`;
  item.description = second + age;
  item.iconPath = new vscode.ThemeIcon(icon, color ? new vscode.ThemeColor(color) : undefined);
  item.accessibilityInformation = { label: `${name}: ${kernel.status}, ${label}` };
  item.contextValue = ['kernel', kernel.isa && 'isa', isMoved(kernel) && 'moved', kernel.problems?.length && 'problem'].filter(Boolean).join(' ');
  const place = placeOf(kernel);
  if (place) item.command = open(kernel.definition || kernel.candidates?.[0] ? 'Go to Definition' : 'Show ISA', place.uri, place.line, place.character);
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

/** What is wrong with a kernel, then what moved of it with the waves on top, then the rest as one row. Of one side alone, what counts stands first. */
function figuresOf({ folder, kernel }: Node & { kind: 'kernel' }): Node[] {
  const compared = kernel.status !== 'untrustworthy';
  const cells = [...kernel.waves ? [kernel.waves] : [], ...kernel.cells ?? []].filter(cell => (cell.before ?? cell.after) !== null);
  const two = cells.some(c => c.before !== null && c.after !== null);
  const first = cells.filter(c => c.before === '?' || c.after === '?' || (two ? c.before !== c.after : c.trigger || c === kernel.waves));
  const rest = cells.filter(c => !first.includes(c));
  return [
    ...(kernel.problems ?? []).map((problem): Node => ({ kind: 'problem', folder, kernel, problem })),
    ...first.map((cell): Node => ({ kind: 'cell', cell, compared })),
    ...rest.length > 0 ? [{ kind: 'rest', id: `${folder} ${kernel.key} rest`, cells: rest, compared } satisfies Node] : [],
  ];
}

/** A figure; of a kernel that cannot be judged, what either side has, as no comparison. */
function cellItem({ metric, before, after, delta, trigger, reason }: Cell, compared: boolean): vscode.TreeItem {
  const item = new vscode.TreeItem(metric);
  if (!compared) item.description = [after !== null && `${after} in the dump`, before !== null && `${before} in the baseline`].filter(Boolean).join(', ');
  else if (after === null) item.description = `${before} in the baseline`;
  else item.description = before === null || before === after ? after : `${before} → ${after}`;
  if (delta) item.description += ` (${delta > 0 ? '+' : ''}${delta})`;
  if (reason) item.description += `  ${reason}`;
  item.tooltip = trigger && delta ? 'counts for the verdict' : '';
  return item;
}

function restItem({ id, cells, compared }: Node & { kind: 'rest' }): vscode.TreeItem {
  const same = compared && cells.every(c => c.before !== null && c.after !== null);
  const item = new vscode.TreeItem(`${cells.length} ${same ? 'unchanged' : 'more'}`, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  return item;
}

function problemItem(problem: Problem): vscode.TreeItem {
  const item = new vscode.TreeItem(problem.message, vscode.TreeItemCollapsibleState.None);
  item.description = problem.code;
  item.tooltip = new vscode.MarkdownString().appendText(`${problem.message}\n\n${problem.mend}`);
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.contextValue = problem.command ? 'problem mend' : 'problem';
  return item;
}
