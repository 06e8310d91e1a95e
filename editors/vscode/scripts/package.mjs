// Packages the extension with the binary of each platform inside. usage: node scripts/package.mjs OUT [TARGET…]
// Writes OUT/isadiff-TARGET.vsix and, unpacked beside it, OUT/TARGET. Without targets: all of them.
// VERSION is the release that the binaries tell. ISADIFF_BINARY names a binary that is taken as it is instead of being built (one target only).
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// VS Code's names of platforms, and Go's. The binary is static, so that of linux also runs on Alpine.
const targets = {
  'linux-x64': ['linux', 'amd64'], 'linux-arm64': ['linux', 'arm64'], 'alpine-x64': ['linux', 'amd64'], 'alpine-arm64': ['linux', 'arm64'],
  'darwin-x64': ['darwin', 'amd64'], 'darwin-arm64': ['darwin', 'arm64'], 'win32-x64': ['windows', 'amd64'], 'win32-arm64': ['windows', 'arm64'],
};
const LIMIT = 10 << 20; // bytes of a .vsix

const extension = fileURLToPath(new URL('..', import.meta.url)), repository = resolve(extension, '../..');
const [out, ...wanted] = process.argv.slice(2);
if (!out || wanted.some(t => !targets[t])) {
  console.error(`usage: node scripts/package.mjs OUT [TARGET…]\ntargets: ${Object.keys(targets).join(' ')}`);
  process.exit(2);
}
const manifest = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));

execFileSync(process.execPath, [join(extension, 'scripts/build.mjs')], { stdio: 'inherit' });
for (const target of wanted.length > 0 ? wanted : Object.keys(targets)) {
  const stage = resolve(out, target), vsix = resolve(out, `isadiff-${target}.vsix`);
  rmSync(stage, { recursive: true, force: true });
  for (const name of ['dist', 'media', 'syntaxes', 'CHANGELOG.md', '.vscodeignore']) cpSync(join(extension, name), join(stage, name), { recursive: true });
  copyLicense(stage);
  copyReadme(stage);
  copyBinary(stage, targets[target]);
  // What only development needs is no part of the package.
  writeFileSync(join(stage, 'package.json'), JSON.stringify({ ...manifest, scripts: undefined, devDependencies: undefined }, null, 2) + '\n');
  execFileSync(process.execPath, [join(extension, 'node_modules/@vscode/vsce/vsce'), 'package', '--no-dependencies', '--target', target, '--out', vsix,
    '--allow-missing-repository', '--skip-license', '--no-rewrite-relative-links'], { cwd: stage, stdio: ['ignore', 'ignore', 'inherit'], env: { SOURCE_DATE_EPOCH: '315532800', ...process.env } });
  const { size } = statSync(vsix);
  console.log(`${vsix}  ${(size / (1 << 20)).toFixed(1)} MB`);
  if (size > LIMIT) throw new Error(`${vsix} is larger than ${LIMIT >> 20} MB`);
}

function copyLicense(stage) {
  const license = join(repository, 'LICENSE');
  if (existsSync(license)) cpSync(license, join(stage, 'LICENSE'));
}

/** The README shows the pictures of docs/images; in the package they lie beside it. */
function copyReadme(stage) {
  const text = readFileSync(join(extension, 'README.md'), 'utf8');
  const pictures = '../../docs/images/';
  for (const [, name] of text.matchAll(/\.\.\/\.\.\/docs\/images\/([\w.-]+)/g)) cpSync(join(repository, 'docs/images', name), join(stage, 'images', name));
  writeFileSync(join(stage, 'README.md'), text.replaceAll(pictures, 'images/'));
}

function copyBinary(stage, [GOOS, GOARCH]) {
  const binary = join(stage, 'bin', GOOS === 'windows' ? 'isadiff.exe' : 'isadiff');
  mkdirSync(join(stage, 'bin'));
  if (process.env.ISADIFF_BINARY) return cpSync(process.env.ISADIFF_BINARY, binary);
  execFileSync('go', ['build', '-trimpath', `-ldflags=-s -w -X main.release=${process.env.VERSION ?? ''}`, '-o', binary, './cmd/isadiff'], { cwd: repository, stdio: 'inherit', env: { ...process.env, CGO_ENABLED: '0', GOOS, GOARCH } });
}
