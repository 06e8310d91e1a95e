import * as vscode from 'vscode';
import type { Argument, Assembly, AssemblyRow, ComparedAssembly } from './protocol';
import type { Session } from './session';

const SCHEME = 'isadiff-assembly';
/** How long after a change of a source, or of what was compiled, the server is asked again. */
const PAUSE_MS = 300;
/** The lines around what is visible whose margin is drawn. */
const AROUND = 100;

/** What a document of the scheme shows: a kernel's assembly, or one side of it beside the other. */
interface Shown {
  folder?: string;
  kernel: string;
  side?: 'before' | 'after';
  plain?: boolean;
}

/** A document of the scheme, with the answer that it was made of. */
class Page {
  answer: Assembly | undefined;
  text: string | undefined;
  /** The version of its document that has the text; undefined until one has: nothing is marked before. */
  version: number | undefined;
  /** The sequence number of the state that it shows. */
  seq: number | undefined;
  asking: vscode.CancellationTokenSource | undefined;
  /** The rows that the source's cursor marks, and the source line that the assembly's cursor marks; of the last move. */
  rows: AssemblyRow[] = [];
  sourceLine: { uri: string; line: number } | undefined;

  constructor(readonly uri: vscode.Uri, readonly shown: Shown) {}
}

/** The assembly of kernels in documents of their own, linked with the sources both ways. */
export class AssemblyPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly marked = new vscode.EventEmitter<Page>();
  /** Fires when what stands beside a text, or what the cursor marks, was drawn anew. */
  readonly onDidMark = this.marked.event;
  readonly pages = new Map<string, Page>();
  private readonly disposables: vscode.Disposable[];
  private looks: Looks | undefined;
  private pause: NodeJS.Timeout | undefined;
  private following: NodeJS.Timeout | undefined;

  constructor(private readonly session: Session) {
    this.disposables = [
      this.changed, this.marked,
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      session.onDidChange(() => this.followSoon()),
      vscode.workspace.onDidCloseTextDocument(d => this.closed(d)),
      vscode.workspace.onDidOpenTextDocument(d => this.sourceChanged(d)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const page = this.pages.get(document.uri.toString());
        if (page) this.draw(page);
        else this.sourceChanged(document);
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => [...this.pages.values()].forEach(page => this.draw(page))),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        const page = this.pages.get(textEditor.document.uri.toString());
        if (page) this.drawMargin(page, textEditor);
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor)),
    ];
  }

  dispose(): void {
    clearTimeout(this.pause);
    clearTimeout(this.following);
    this.pages.forEach(page => page.asking?.cancel());
    this.disposables.forEach(d => d.dispose());
    this.looks?.dispose();
  }

  /** Shows the assembly of a kernel beside the active editor. Rejects with the server's message. */
  async open({ folder, kernel }: Argument): Promise<Assembly | undefined> {
    const source = vscode.window.activeTextEditor;
    const page = this.page({ folder, kernel: kernel! }, `${name(kernel!)}.amdgcn`);
    await this.load(page);
    const document = await vscode.workspace.openTextDocument(page.uri);
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
    this.draw(page);
    if (source) this.moved(source);
    if (page.answer && !page.answer.rows.some(r => r.at !== undefined) && page.answer.notes.length > 0) void vscode.window.showInformationMessage(page.answer.notes.join('; '));
    return page.answer;
  }

  /** Shows both sides of a kernel in the editor's own view of differences. Rejects with the server's message. */
  async compare({ folder, kernel, plain = false }: Argument & { plain?: boolean }): Promise<void> {
    const pages = (['before', 'after'] as const).map(side => this.page({ folder, kernel: kernel!, side, plain }, `${name(kernel!)}.amdgcn`));
    await this.load(pages[1]);
    const title = `${name(kernel!)}: baseline ↔ now, ${plain ? 'as they stand' : 'same names'}`;
    await vscode.commands.executeCommand('vscode.diff', pages[0].uri, pages[1].uri, title, { preview: false });
  }

  /** Shows the comparison of the active tab with the registers' own names, or by those of one side again. */
  async switchNames(): Promise<void> {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const uri = tab?.input instanceof vscode.TabInputTextDiff ? tab.input.modified : undefined;
    if (!tab || uri?.scheme !== SCHEME) return;
    const shown = shownBy(uri);
    await this.compare({ ...shown, plain: !shown.plain });
    await vscode.window.tabGroups.close(tab);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const page = this.pages.get(uri.toString()) ?? this.page(shownBy(uri), uri.path.slice(1));
    if (page.text === undefined) await this.load(page);
    return page.text ?? '';
  }

  private page(shown: Shown, path: string): Page {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: JSON.stringify(shown) });
    const page = this.pages.get(uri.toString()) ?? new Page(uri, shown);
    this.pages.set(uri.toString(), page);
    return page;
  }

  /** Asks for what a page shows; of a comparison, for both sides at once. */
  private async load(page: Page): Promise<void> {
    page.asking?.cancel();
    const { token } = (page.asking = new vscode.CancellationTokenSource());
    const { folder, kernel, side, plain } = page.shown;
    try {
      if (side) {
        const answer = await this.session.execute<ComparedAssembly>('isadiff.compareAssembly', { folder, kernel, plain }, token);
        if (token.isCancellationRequested) return;
        if (answer.notes.length > 0) this.session.log.warn(`${kernel}: ${answer.notes.join('; ')}`);
        for (const which of ['before', 'after'] as const) this.put(this.page({ ...page.shown, side: which }, page.uri.path.slice(1)), answer[which], answer.seq);
      } else {
        const answer = await this.session.execute<Assembly>('isadiff.assembly', { folder, kernel }, token);
        if (token.isCancellationRequested) return;
        page.answer = answer;
        this.put(page, answer.text, answer.seq);
      }
    } catch (error) {
      if (!token.isCancellationRequested) throw error; // else a newer request tells
    }
  }

  private put(page: Page, text: string, seq: number): void {
    const known = page.text === text;
    page.text = text;
    page.seq = seq;
    if (known) return this.draw(page);
    page.version = undefined;
    this.changed.fire(page.uri); // and it is drawn when the document has the text
  }

  /** After each compile, and once more when the server runs again; while a compile brings many states, now and then. */
  private followSoon(): void {
    if (this.pages.size > 0) this.following ??= setTimeout(() => {
      this.following = undefined;
      void this.follow();
    }, PAUSE_MS);
  }

  private async follow(): Promise<void> {
    if (this.session.state !== 'running') return;
    for (const page of this.pages.values()) {
      const { folder, side } = page.shown;
      const status = folder ? this.session.statuses.get(folder) : [...this.session.statuses.values()][0];
      if (side !== 'before' && status && documentOf(page) && status.seq !== page.seq) await this.again(page);
    }
  }

  /** Asks again; what a page shows stays if it cannot be told now. */
  private async again(page: Page): Promise<void> {
    try {
      await this.load(page);
    } catch (error) {
      this.session.log.warn(`${page.shown.kernel}: ${(error as Error).message}`);
    }
  }

  private closed(document: vscode.TextDocument): void {
    const page = this.pages.get(document.uri.toString());
    if (!page) return this.sourceChanged(document);
    page.asking?.cancel();
    this.pages.delete(document.uri.toString());
    this.looks?.clear(page);
  }

  /** Links are of one version of a source: another one has none until they were asked for again. */
  private sourceChanged(document: vscode.TextDocument): void {
    const of = [...this.pages.values()].filter(p => p.answer?.sources.some(s => same(s.uri, document.uri)));
    if (of.length === 0) return;
    of.forEach(page => this.mark(page, [], undefined));
    clearTimeout(this.pause);
    this.pause = setTimeout(() => of.forEach(page => void this.again(page)), PAUSE_MS);
  }

  /** The rows beside a line of a source, if the links are of the text that the editor shows. */
  private rowsOf(page: Page, document: vscode.TextDocument, line: number): AssemblyRow[] {
    const index = page.answer?.sources.findIndex(s => same(s.uri, document.uri) && s.version === document.version) ?? -1;
    return index < 0 || page.version === undefined ? [] : page.answer!.rows.filter(r => r.source === index && r.at === line);
  }

  /** Follows the cursor, from the source to the assembly or the other way round. */
  private moved(editor: vscode.TextEditor): void {
    const { document, selection: { active: { line } } } = editor;
    const page = this.pages.get(document.uri.toString());
    if (page) {
      if (!page.answer || page.version !== document.version) return;
      const row = page.answer.rows.find(r => r.line === line);
      const source = row?.source === undefined ? undefined : page.answer.sources[row.source];
      const isCurrent = (source?.version ?? undefined) === openDocument(source?.uri)?.version;
      const at = source && isCurrent && row?.at !== undefined ? { uri: source.uri, line: row.at } : undefined;
      this.mark(page, row ? [row] : [], at);
      if (at) for (const e of vscode.window.visibleTextEditors.filter(e => same(at.uri, e.document.uri)))
        e.revealRange(new vscode.Range(at.line, 0, at.line, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      return;
    }
    for (const page of this.pages.values()) {
      if (!page.answer?.sources.some(s => same(s.uri, document.uri))) continue;
      const rows = this.rowsOf(page, document, line);
      this.mark(page, rows, rows.length > 0 ? { uri: document.uri.toString(), line } : undefined);
      const editors = rows.length > 0 ? editorsOf(page) : [];
      for (const e of editors) {
        const isInSight = rows.some(r => e.visibleRanges.some(v => v.start.line <= r.line && r.line <= v.end.line));
        if (!isInSight) e.revealRange(new vscode.Range(rows[0].line, 0, rows[0].line, 0), vscode.TextEditorRevealType.InCenter);
      }
    }
  }

  private mark(page: Page, rows: AssemblyRow[], at: Page['sourceLine']): void {
    page.rows = rows;
    page.sourceLine = at;
    const looks = (this.looks ??= new Looks());
    for (const e of editorsOf(page)) e.setDecorations(looks.linked, rows.map(r => new vscode.Range(r.line, 0, r.line, 0)));
    const uris = page.answer?.sources.map(s => s.uri) ?? [];
    for (const e of vscode.window.visibleTextEditors.filter(e => uris.some(uri => same(uri, e.document.uri))))
      e.setDecorations(looks.linked, at && same(at.uri, e.document.uri) ? [new vscode.Range(at.line, 0, at.line, 0)] : []);
    this.marked.fire(page);
  }

  /** Draws what stands beside a page's text, once its document has the text of its answer. */
  private draw(page: Page): void {
    const document = documentOf(page);
    if (!page.answer || !document || document.getText() !== page.text) return;
    page.version = document.version;
    const looks = (this.looks ??= new Looks());
    const changed = page.answer.rows.filter(r => r.change).map(r => new vscode.Range(r.line, 0, r.line, 0));
    for (const editor of editorsOf(page)) {
      editor.setDecorations(looks.changed, changed);
      this.drawMargin(page, editor);
    }
    const active = vscode.window.activeTextEditor;
    if (active) this.moved(active);
    this.marked.fire(page);
  }

  private drawMargin(page: Page, editor: vscode.TextEditor): void {
    if (!page.answer || page.version !== editor.document.version) return;
    const looks = (this.looks ??= new Looks()), { lineCount } = editor.document, shown = new Set<number>();
    for (const { start, end } of editor.visibleRanges)
      for (let n = Math.max(0, start.line - AROUND); n <= Math.min(lineCount - 1, end.line + AROUND); n++) shown.add(n);
    const rows = new Map(page.answer.rows.filter(r => shown.has(r.line)).map(r => [r.line, r]));
    const depth = page.answer.rows.reduce((most, r) => Math.max(most, r.loop ?? 0), 0);
    editor.setDecorations(looks.margin, [...shown].map(n => ({
      range: new vscode.Range(n, 0, n, 0),
      renderOptions: { before: { contentText: margin(rows.get(n), Math.min(depth, 4)) }, after: { contentText: n === 0 ? said(page.answer!.notes) : remark(rows.get(n)) } },
    })));
  }
}

/** The live VGPRs and the loops of an instruction, as wide for every line. */
function margin(row: AssemblyRow | undefined, depth: number): string {
  const live = row?.live === undefined ? '' : String(row.live);
  return `${live.padStart(4)} ${'│'.repeat(Math.min(row?.loop ?? 0, depth)).padEnd(depth)} `.replaceAll(' ', '\u00a0');
}

/** What is to be said behind an instruction. */
function remark(row: AssemblyRow | undefined): string {
  if (!row) return '';
  return said([row.spill === 'store' && 'spill', row.spill === 'load' && 'reload', row.gone && `${row.gone} gone before`]);
}

function said(all: unknown[]): string {
  const some = all.filter(Boolean);
  return some.length > 0 ? `\u00a0\u00a0◂ ${some.join(' · ')}` : '';
}

/** How lines are marked; made when the first is. */
class Looks {
  private readonly color = (id: string) => new vscode.ThemeColor(id);
  readonly margin = vscode.window.createTextEditorDecorationType({
    before: { color: this.color('editorLineNumber.foreground') }, after: { color: this.color('editorWarning.foreground') },
  });
  readonly changed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true, backgroundColor: this.color('diffEditor.insertedLineBackground'),
    overviewRulerColor: this.color('editorOverviewRuler.addedForeground'), overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  readonly linked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true, backgroundColor: this.color('editor.wordHighlightStrongBackground'),
    overviewRulerColor: this.color('editorOverviewRuler.wordHighlightForeground'), overviewRulerLane: vscode.OverviewRulerLane.Center,
  });

  clear(page: Page): void {
    const uris = page.answer?.sources.map(s => s.uri) ?? [];
    for (const e of vscode.window.visibleTextEditors.filter(e => uris.some(uri => same(uri, e.document.uri)))) e.setDecorations(this.linked, []);
  }

  dispose(): void {
    for (const type of [this.margin, this.changed, this.linked]) type.dispose();
  }
}

function shownBy(uri: vscode.Uri): Shown {
  return JSON.parse(uri.query) as Shown;
}

/** The name of a kernel in the name of a document. */
function name(kernel: string): string {
  return (kernel.split('::').pop() || kernel).replace(/[\\/?#:]/g, '_');
}

function same(uri: string, other: vscode.Uri): boolean {
  return other.scheme === 'file' && vscode.Uri.parse(uri).fsPath === other.fsPath;
}

function documentOf(page: Page): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(d => d.uri.toString() === page.uri.toString());
}

function openDocument(uri: string | undefined): vscode.TextDocument | undefined {
  return uri === undefined ? undefined : vscode.workspace.textDocuments.find(d => same(uri, d.uri));
}

function editorsOf(page: Page): vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(e => e.document.uri.toString() === page.uri.toString());
}
