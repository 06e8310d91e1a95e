import * as vscode from 'vscode';

/** An import of a module whose kernels isadiff knows, at the start of a line of Python. */
const imports = /^[ \t]*(?:from|import)[ \t]+(?:flydsl|triton)\b/m;

/** Whether a document is a source that defines or launches kernels which isadiff knows. Plain CUDA is not for AMD's processors. */
export function usesKernels(document: vscode.TextDocument): boolean {
  if (document.uri.scheme !== 'file') return false;
  switch (document.languageId) {
    case 'python': return imports.test(document.getText());
    case 'cpp': case 'c': case 'cuda-cpp': case 'hip': {
      const text = document.getText();
      return text.includes('__global__') && (document.uri.path.endsWith('.hip') || text.includes('hip/hip_runtime'));
    }
    default: return false;
  }
}

/** Whether a folder says itself that it is compared: a configuration, or a baseline that was taken. */
export async function isConfigured(folder: vscode.WorkspaceFolder): Promise<boolean> {
  if (folder.uri.scheme !== 'file') return false;
  const exists = (name: string) => vscode.workspace.fs.stat(vscode.Uri.joinPath(folder.uri, name)).then(() => true, () => false);
  const inPyproject = vscode.workspace.fs.readFile(vscode.Uri.joinPath(folder.uri, 'pyproject.toml'))
    .then(bytes => /^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*isadiff\b/m.test(Buffer.from(bytes).toString('utf8')), () => false);
  return (await Promise.all([exists('isadiff.toml'), exists('.isadiff'), inPyproject])).includes(true);
}

/** Calls `found` once, as soon as something in the window makes the server useful; disposing it ends the search. */
export function whenUseful(found: () => void): vscode.Disposable {
  const listeners: vscode.Disposable[] = [];
  const search = vscode.Disposable.from({ dispose: () => listeners.splice(0).forEach(l => l.dispose()) });
  let open = true;
  const settle = () => {
    if (!open) return;
    open = false;
    search.dispose();
    found();
  };
  const look = (document: vscode.TextDocument) => {
    if (usesKernels(document)) settle();
  };
  const ask = (folders: readonly vscode.WorkspaceFolder[]) => {
    for (const folder of folders) void isConfigured(folder).then(yes => yes && settle());
  };
  listeners.push(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidSaveTextDocument(look),
    vscode.workspace.onDidChangeWorkspaceFolders(e => ask(e.added)),
  );
  vscode.workspace.textDocuments.forEach(look);
  ask(vscode.workspace.workspaceFolders ?? []);
  return { dispose: () => { open = false; search.dispose(); } };
}
