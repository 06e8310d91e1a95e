import * as vscode from 'vscode';

type Values = { [name: string]: unknown };

/** Keys that concern how the editor starts the server; the server does not read them. */
const ownKeys = new Set(['isadiff.server.path', 'isadiff.trace.server']);

/**
 * The settings that a person made for a folder, nested as in a configuration file, without the prefix `isadiff`. Defaults are left out: a
 * client's setting outranks the project's configuration, and a default must not. In a restricted workspace the keys that could run
 * something are taken from the user's own settings only.
 */
export function settingsFor(context: vscode.ExtensionContext, scope: vscode.Uri | undefined): Values {
  const manifest = context.extension.packageJSON;
  const restricted: string[] = vscode.workspace.isTrusted ? [] : manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
  const configuration = vscode.workspace.getConfiguration(undefined, scope ?? null);
  const settings: Values = {};
  for (const { properties } of manifest.contributes.configuration)
    for (const key of Object.keys(properties)) {
      if (ownKeys.has(key)) continue;
      const at = configuration.inspect(key);
      const value = restricted.includes(key) ? at?.globalValue : at?.workspaceFolderValue ?? at?.workspaceValue ?? at?.globalValue;
      if (!isBlank(value)) put(settings, key.split('.').slice(1), value);
    }
  return settings;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

function put(settings: Values, path: string[], value: unknown): void {
  const [name, ...rest] = path;
  if (rest.length === 0) settings[name] = value;
  else put((settings[name] ??= {}) as Values, rest, value);
}
