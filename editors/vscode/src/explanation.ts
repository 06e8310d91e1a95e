import * as vscode from 'vscode';

const SCHEME = 'isadiff-explain';

/** Shows what a problem code means, as rendered Markdown. */
class Explanation implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  async show(code: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${code}.md` });
    this.texts.set(uri.path, text);
    await vscode.commands.executeCommand('markdown.showPreview', uri);
  }
}

export const explanation = new Explanation();
