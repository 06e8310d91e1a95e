// An independent witness: the story played with Microsoft's implementation of the protocol, the one under VS Code, without any editor.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { isadiff, patience, Story } from './bench.mjs';

const require = createRequire(import.meta.url);
const rpc = require('vscode-languageserver-protocol/node'), lsp = rpc;

/** A client of the server that keeps what it is told and wakes whoever waits. */
class Client {
  constructor(t, story, { pull }) {
    this.pull = pull;
    this.diagnostics = new Map();
    this.statuses = [];
    this.messages = [];
    this.unclaimed = [];
    this.waiting = new Set();
    this.child = spawn(isadiff, ['lsp'], { cwd: story.project, env: story.environment, stdio: ['pipe', 'pipe', 'pipe'] });
    this.stderr = '';
    this.child.stderr.on('data', text => (this.stderr += text));
    this.exited = new Promise(resolve => this.child.on('exit', resolve));
    const c = (this.connection = rpc.createMessageConnection(new rpc.StreamMessageReader(this.child.stdout), new rpc.StreamMessageWriter(this.child.stdin)));
    const wake = () => this.waiting.forEach(look => look());
    c.onNotification(lsp.PublishDiagnosticsNotification.type, p => { this.diagnostics.set(p.uri, p.diagnostics); wake(); });
    c.onNotification('isadiff/status', status => { this.statuses.push(status); wake(); });
    c.onNotification(lsp.ShowMessageNotification.type, m => { this.messages.push(m); wake(); });
    c.onNotification(lsp.LogMessageNotification.type, () => {});
    this.refreshes = 0; // of the lenses
    c.onRequest(lsp.CodeLensRefreshRequest.type, () => { this.refreshes++; wake(); });
    // Whoever is leaving does not pull: a refresh may cross the shutdown.
    c.onRequest(lsp.DiagnosticRefreshRequest.type, () => { if (!this.leaving) this.pullAll().then(wake, e => { if (!this.leaving) throw e; }); });
    c.onRequest(lsp.ConfigurationRequest.type, p => p.items.map(() => null));
    c.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => {});
    c.onNotification('$/progress', () => {});
    c.onRequest(lsp.ShowDocumentRequest.type, p => { this.shown = p; wake(); return { success: true }; });
    c.onRequest((method, params) => { this.unclaimed.push({ method, params }); throw new rpc.ResponseError(rpc.ErrorCodes.MethodNotFound, method); });
    c.onNotification((method, params) => this.unclaimed.push({ method, params }));
    c.listen();
    t.after(() => {
      this.child.kill();
      c.dispose();
    });
  }

  async initialize(story) {
    const uri = pathToFileURL(story.project).href;
    const result = await this.connection.sendRequest(lsp.InitializeRequest.type, {
      processId: process.pid, rootUri: uri, workspaceFolders: [{ uri, name: 'project' }], initializationOptions: { status: true, trusted: true },
      capabilities: {
        general: { positionEncodings: ['utf-16'] },
        window: { workDoneProgress: true, showDocument: { support: true } },
        workspace: { configuration: true, workspaceFolders: true, codeLens: { refreshSupport: true }, diagnostics: { refreshSupport: true }, executeCommand: {} },
        textDocument: { codeLens: {}, hover: { contentFormat: ['markdown', 'plaintext'] }, publishDiagnostics: { relatedInformation: true, versionSupport: true },
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } }, ...(this.pull ? { diagnostic: { relatedDocumentSupport: true } } : {}) },
      },
    });
    await this.connection.sendNotification(lsp.InitializedNotification.type, {});
    return result;
  }

  async pullAll() {
    for (const uri of this.open ?? []) {
      const report = await this.connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument: { uri } });
      if (report.kind === 'full') this.diagnostics.set(uri, report.items);
    }
  }

  when(what, check) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const hit = check();
        if (!hit) return;
        this.waiting.delete(look);
        clearTimeout(limit);
        resolve(hit);
      };
      const limit = setTimeout(() => reject(new Error(`never: ${what}; last status ${JSON.stringify(this.statuses.at(-1))}; diagnostics ${JSON.stringify([...this.diagnostics])}\n${this.stderr}`)), patience);
      this.waiting.add(look);
      look();
    });
  }

  state(wanted) {
    return this.when(`status ${wanted}`, () => this.statuses.at(-1)?.state === wanted && this.statuses.at(-1));
  }

  execute(command, argument = {}) {
    return this.connection.sendRequest(lsp.ExecuteCommandRequest.type, { command, arguments: [argument] });
  }
}

for (const pull of [false, true])
  test(`vscode-languageserver-protocol, diagnostics ${pull ? 'pulled' : 'pushed'}`, async t => {
    const story = new Story(t), client = new Client(t, story, { pull }), uri = pathToFileURL(story.file).href;
    const lenses = () => client.connection.sendRequest(lsp.CodeLensRequest.type, { textDocument: { uri } });
    const diagnostics = () => client.diagnostics.get(uri) ?? [];
    const run = ({ command }) => client.execute(command.command, command.arguments[0]);

    await t.test('initialize', async () => {
      const { capabilities, serverInfo } = await client.initialize(story);
      assert.equal(serverInfo.name, 'isadiff');
      for (const command of ['snapshotBaseline', 'undoBaseline', 'acceptKernel', 'showReport', 'showIsa', 'explain', 'rescan', 'removeLeftover', 'newestCounts', 'mapPath', 'pair', 'why', 'kernels', 'status', 'capture', 'compare'])
        assert.ok(capabilities.executeCommandProvider.commands.includes(`isadiff.${command}`), command);
      await client.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: 'python', version: 1, text: readFileSync(story.file, 'utf8') } });
      client.open = [uri];
      if (pull) await client.pullAll();
    });
    await t.test('an unchanged kernel', async () => {
      await client.state('ok');
      const [lens, ...more] = await lenses();
      assert.match(lens.command.title, /^vgpr 88 · no spill/);
      assert.equal(lens.range.start.line, story.line);
      assert.deepEqual(more, []);
      assert.deepEqual(diagnostics(), []);
    });
    await t.test('an edit', async () => {
      await client.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: 2 }, contentChanges: [{ text: story.edited }] });
      story.edit();
      await client.connection.sendNotification(lsp.DidSaveTextDocumentNotification.type, { textDocument: { uri } });
      for (let title, seen; !/^✎ edited since the last compile · vgpr 88/.test(title);) {
        if (title) await client.when('another lens', () => client.refreshes > seen);
        seen = client.refreshes;
        const [lens] = await lenses();
        assert.equal(lens.range.start.line, story.editedLine);
        title = lens.command.title;
      }
    });
    await t.test('a worse dump', async () => {
      story.turn('worse');
      const [d] = await client.when('a diagnostic', () => diagnostics().length && diagnostics());
      assert.deepEqual(d.range, { start: { line: story.editedLine, character: 4 }, end: { line: story.editedLine, character: 17 } });
      assert.match(d.message, /vgpr_spill 0 → 136.*vgpr 88 → 127/);
      await client.state('regression');
      assert.match((await lenses())[0].command.title, /^▲ spill 0→136/);
      const hover = await client.connection.sendRequest(lsp.HoverRequest.type, { textDocument: { uri }, position: { line: story.editedLine, character: 6 } });
      assert.match(hover.contents.value, /vgpr_spill +0 +136 +\+136/);
      const { kernels } = await client.execute('isadiff.kernels');
      assert.deepEqual(kernels.map(k => [k.name, k.status, k.definition?.range.start.line]), [['window_filter_0', 'worse', story.editedLine]]);
    });
    await t.test('the baseline, its undo, and the acceptance of one kernel', async () => {
      assert.match((await client.execute('isadiff.snapshotBaseline')).message, /\S/);
      await client.state('ok');
      await client.when('all clear', () => diagnostics().length === 0);
      await client.execute('isadiff.undoBaseline');
      await client.state('regression');
      const accept = (await lenses()).find(l => l.command.command === 'isadiff.acceptKernel');
      await run(accept);
      await client.state('ok');
      await client.when('all clear', () => diagnostics().length === 0);
    });
    await t.test('a damaged dump, mended by its lens', async () => {
      story.turn('damage');
      const [d] = await client.when('a diagnostic', () => diagnostics().length && diagnostics());
      assert.equal(d.code, 'metadata-cut');
      await client.state('untrustworthy');
      const titles = (await lenses()).map(l => l.command.title);
      assert.match(titles[0], /^\?.*metadata-cut/);
      await run((await lenses()).find(l => /compile again/.test(l.command.title)));
      await client.state('ok');
      await client.when('all clear', () => diagnostics().length === 0);
    });
    await t.test('a leftover, removed by its lens', async () => {
      story.turn('leftover');
      await client.state('untrustworthy');
      await run((await lenses()).find(l => l.command.command === 'isadiff.removeLeftover'));
      await client.state('ok');
    });
    await t.test('shutdown and exit', async () => {
      client.leaving = true;
      await client.connection.sendRequest(lsp.ShutdownRequest.type);
      await client.connection.sendNotification(lsp.ExitNotification.type);
      assert.equal(await client.exited, 0);
      assert.deepEqual(client.unclaimed, []);
    });
  });
