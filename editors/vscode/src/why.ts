import * as vscode from 'vscode';
import type { Sheet } from './protocol';

/** The command behind the page's links. It follows lines of the page that is shown, by their number, and nothing else. */
const OPEN = 'isadiff.openSheetLine';

/** What became of a kernel, on a page beside its source. There is one, which shows the last kernel that was asked for. */
class Page {
  private panel: vscode.WebviewPanel | undefined;
  private sheet: Sheet | undefined;

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      vscode.commands.registerCommand(OPEN, (line: number) => this.open(line)),
      { dispose: () => this.panel?.dispose() },
    );
  }

  show(sheet: Sheet): void {
    this.sheet = sheet;
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel('isadiff.why', sheet.title, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: false, enableCommandUris: [OPEN], localResourceRoots: [] });
      this.panel.onDidDispose(() => this.panel = undefined);
    } else this.panel.reveal(undefined, true);
    this.panel.title = sheet.title;
    this.panel.webview.html = html(sheet);
  }

  /** Shows a line's source where that is shown already, else beside the page; or does what the line offers. */
  private async open(n: number): Promise<void> {
    const line = this.sheet?.lines[n];
    if (line?.command) return void await vscode.commands.executeCommand(line.command.command, ...line.command.arguments ?? []);
    if (line?.uri === undefined || line.line === undefined) return;
    const uri = vscode.Uri.parse(line.uri, true);
    const shown = vscode.window.visibleTextEditors.find(e => e.document.uri.toString() === uri.toString());
    const other = this.panel?.viewColumn === vscode.ViewColumn.One ? vscode.ViewColumn.Beside : vscode.ViewColumn.One;
    const at = new vscode.Range(line.line, 0, line.line, 0);
    await vscode.window.showTextDocument(uri, { selection: at, viewColumn: shown?.viewColumn ?? other });
  }
}

export const page = new Page();

/** The lines as they are, those that lead to a source as links. */
export function html({ title, lines }: Sheet): string {
  const text = lines.map(({ text, uri, command }, n) => {
    const shown = escaped(text);
    return uri === undefined && command === undefined ? shown : `<a href="command:${OPEN}?${encodeURIComponent(JSON.stringify([n]))}">${shown}</a>`;
  }).join('\n');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>
pre { font-family: var(--vscode-editor-font-family); font-size: var(--vscode-editor-font-size); line-height: 1.5 }
pre::first-line { font-weight: bold }
a { color: var(--vscode-textLink-foreground); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
</style>
</head>
<body><pre>${text}</pre></body>
</html>`;
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, c => marks[c]);
}
