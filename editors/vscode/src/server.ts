import { execFile } from 'node:child_process';
import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';

/** The oldest server that speaks docs/reference/protocol.md as this extension reads it. */
export const OLDEST = '0.1.0';

export interface Server {
  path: string;
  origin: 'setting' | 'extension' | 'PATH';
  version: string;
}

/** Why no server can be started, in words for the user. */
export class NoServer extends Error {}

const binary = process.platform === 'win32' ? 'isadiff.exe' : 'isadiff';

/** Finds the server: the setting, else the binary in the extension, else the one on PATH; and asks its version. */
export async function findServer(context: vscode.ExtensionContext): Promise<Server> {
  const [path, origin] = await locate(context);
  const version = await askVersion(path);
  if (isOlder(version, OLDEST)) throw new NoServer(`${path} is isadiff ${version}; this extension needs ${OLDEST} or newer.`);
  return { path, origin, version };
}

async function locate(context: vscode.ExtensionContext): Promise<[string, Server['origin']]> {
  const set = setting();
  if (set) {
    if (await isExecutable(set)) return [set, 'setting'];
    throw new NoServer(`The setting isadiff.server.path names ${set}, which is no program that can be started.`);
  }
  const bundled = context.asAbsolutePath(join('bin', binary));
  if (await isExecutable(bundled)) return [bundled, 'extension'];
  for (const folder of (process.env.PATH ?? '').split(delimiter))
    if (isAbsolute(folder) && await isExecutable(join(folder, binary))) return [join(folder, binary), 'PATH'];
  throw new NoServer('The isadiff server was not found: it is neither in the extension nor on PATH.');
}

/** The setting `isadiff.server.path` as a path. In a restricted workspace VS Code leaves out what the workspace sets. */
function setting(): string {
  const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  return vscode.workspace.getConfiguration('isadiff').get<string>('server.path', '').trim()
    .replace(/^~(?=$|[\\/])/, homedir()).replaceAll('${workspaceFolder}', root);
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function askVersion(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(path, ['version', '--json'], { timeout: 10_000, windowsHide: true }, (error, stdout) => {
      try {
        if (error) throw error;
        resolve(String(JSON.parse(stdout).version));
      } catch (cause) {
        reject(new NoServer(`${path} does not tell its version (isadiff version --json): ${(cause as Error).message.split('\n')[0]}`));
      }
    });
  });
}

/** Whether a version is older than another. A developer's build, which is 0.0.0 or no number of the form 1.2.3, is never older. */
export function isOlder(version: string, than: string): boolean {
  const parse = (text: string) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number);
  const a = parse(version), b = parse(than);
  if (!a || !b || a.every(n => n === 0)) return false;
  const at = a.findIndex((n, i) => n !== b[i]);
  return at >= 0 && a[at] < b[at];
}
