// Bundles the extension into dist/. The language client is a bundle of its own: it is loaded when a server is started, so a window without
// kernels reads only the few kilobytes of extension.js.
import { build } from 'esbuild';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const extension = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${extension}/dist`, { recursive: true, force: true });
await build({
  absWorkingDir: extension,
  entryPoints: ['src/extension.ts', 'src/link.ts'],
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode', './link'],
  supported: { 'dynamic-import': false }, // becomes require: the bundles are CommonJS
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
});
