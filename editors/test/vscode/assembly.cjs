// Assembly beside its source, inside VS Code's extension host. Each outcome goes to the driver through a socket, a line of JSON each.
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const net = require('node:net');
const vscode = require('vscode');

const story = JSON.parse(process.env.ISADIFF_STORY);
const kernel = 'kernels/gfx942::smooth';

/** Resolves with the first truthy answer of `check`, asked now and after each of the events. */
function when(what, check, ...events) {
  return new Promise((resolve, reject) => {
    const ask = () => {
      try {
        const value = check();
        if (value) settle(resolve, value);
      } catch (error) {
        settle(reject, error);
      }
    };
    const listeners = events.map(event => event(ask));
    const limit = setTimeout(() => settle(reject, new Error(`never: ${what}`)), story.patience);
    const settle = (how, value) => {
      clearTimeout(limit);
      listeners.forEach(l => l.dispose());
      how(value);
    };
    ask();
  });
}

exports.run = async () => {
  const socket = net.connect(process.env.ISADIFF_SOCKET);
  const report = outcome => new Promise(sent => socket.write(JSON.stringify(outcome) + '\n', sent));
  const picture = async outcome => {
    const taken = new Promise(resolve => socket.once('data', resolve));
    await report(outcome);
    await taken;
  };
  let failed = false;
  const test = async (name, body) => {
    if (failed) return;
    try {
      await report({ name, said: await body() });
    } catch (error) {
      failed = true;
      await report({ name, error: error.stack });
    }
  };
  const uri = vscode.Uri.file(story.file);
  let session, assembly, source, page, first;
  const lineLike = (document, text) => {
    const line = document.getText().split('\n').findIndex(l => l.includes(text));
    assert.notEqual(line, -1, text);
    return line;
  };
  const beside = () => vscode.window.visibleTextEditors.find(e => e.document.uri.toString() === page.uri.toString());
  /** The source line, 1-based, that a line of the assembly stands under. */
  const locOf = line => {
    for (let n = line; n >= 0; n--) {
      const at = /^\s*\.loc\s+\d+\s+(\d+)/.exec(beside().document.lineAt(n).text)?.[1];
      if (at && at !== '0') return Number(at);
    }
  };
  const move = (editor, line) => { editor.selection = new vscode.Selection(line, 0, line, 0); };
  const marks = (what, check) => when(what, check, assembly.onDidMark);
  const sourceEditor = () => vscode.window.visibleTextEditors.find(e => e.document.uri.fsPath === story.file);
  const edit = async (range, text) => {
    const change = new vscode.WorkspaceEdit();
    change.replace(uri, range, text);
    assert.ok(await vscode.workspace.applyEdit(change));
  };

  await test('the assembly opens beside the source, which keeps the cursor', async () => {
    source = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), vscode.ViewColumn.One);
    ({ session, assembly } = await vscode.extensions.getExtension('isadiff.isadiff').activate());
    await when('ok', () => [...session.statuses.values()].find(s => s.state === 'ok'), session.onDidChange);
    await vscode.commands.executeCommand('isadiff.assembly', { kernel });
    page = [...assembly.pages.values()].find(p => !p.shown.side);
    assert.ok(page?.answer, 'no answer');
    const shown = beside();
    assert.equal(shown.viewColumn, vscode.ViewColumn.Two);
    assert.equal(vscode.window.activeTextEditor.document.uri.fsPath, story.file);
    assert.match(shown.document.getText(), /^smooth:/);
    assert.equal(shown.document.languageId, 'amdgpu');
    assert.ok(page.answer.compared);
    assert.deepEqual(page.answer.rows.filter(r => r.change || r.gone), []);
    return `${page.answer.rows.length} instructions, at most ${page.answer.peak} live VGPRs`;
  });
  await test('the cursor of the source marks its instructions', async () => {
    const line = lineLike(source.document, 'sum += in[i] * w.taps[i]');
    move(source, line);
    await marks('its instructions', () => page.rows.length > 10 && page.sourceLine?.line === line);
    for (const row of page.rows) assert.equal(locOf(row.line), line + 1, beside().document.lineAt(row.line).text);
    first = page.rows[0].line;
    await when('they are in sight', () => beside().visibleRanges.some(r => page.rows.some(({ line }) => r.start.line <= line && line <= r.end.line)), vscode.window.onDidChangeTextEditorVisibleRanges);
    await vscode.commands.executeCommand('workbench.action.closeSidebar');
    source.revealRange(new vscode.Range(line, 0, line, 0), vscode.TextEditorRevealType.InCenter);
    await picture({ picture: 'vscode-assembly.png', documented: true });
    return `${page.rows.length} instructions`;
  });
  await test('the cursor of the assembly marks its line', async () => {
    move(source, 0);
    await marks('nothing', () => page.rows.length === 0 && !page.sourceLine);
    move(beside(), first);
    await marks('its line', () => page.sourceLine?.line === lineLike(source.document, 'sum += in[i] * w.taps[i]'));
    move(beside(), 0); // a label
    await marks('nothing', () => !page.sourceLine);
  });
  await test('lines that were typed above are followed, and an edited line has no mark', async () => {
    source = await vscode.window.showTextDocument(source.document, vscode.ViewColumn.One);
    await edit(new vscode.Range(0, 0, 0, 0), '//\n//\n');
    const line = lineLike(source.document, 'sum += in[i] * w.taps[i]');
    move(source, line);
    await marks('its instructions', () => page.rows.length > 10 && page.sourceLine?.line === line);
    assert.equal(locOf(page.rows[0].line), line - 1);
    await edit(new vscode.Range(line, 0, line, 0), '/* other */');
    await marks('nothing', () => page.rows.length === 0 && !page.sourceLine);
    const other = lineLike(source.document, 'smooth(');
    move(source, other);
    await marks('the links of the other lines', () => page.rows.length > 0 && page.sourceLine?.line === other);
    move(source, line);
    await marks('nothing', () => page.rows.length === 0 && !page.sourceLine);
  });
  await test('after the next compile it follows in place, and marks what changed', async () => {
    await edit(new vscode.Range(0, 0, source.document.lineCount, 0), story.edited);
    assert.ok(await source.document.save());
    execFileSync('sh', [story.script, 'worse', story.project, 'hip']);
    await marks('the new text', () => page.answer.rows.length > 100 && beside().document.getText() === page.text);
    const changed = page.answer.rows.filter(r => r.change).length;
    assert.ok(changed > 50, String(changed));
    const line = lineLike(source.document, 'sum += held[95 - i] * w.taps[i]');
    move(source, 0);
    move(source, line);
    await marks('its instructions', () => page.rows.length > 10 && page.sourceLine?.line === line);
    assert.equal(locOf(page.rows[0].line), line + 1);
    await picture({ picture: 'vscode-assembly-changed.png' });
    return `${changed} changed`;
  });
  const diffTab = plain => vscode.window.tabGroups.all.flatMap(g => g.tabs).find(t => t.input instanceof vscode.TabInputTextDiff && JSON.parse(t.input.modified.query).plain === plain);
  const texts = async tab => (await Promise.all([tab.input.original, tab.input.modified].map(u => vscode.workspace.openTextDocument(u)))).map(d => d.getText().split('\n'));
  const common = ([before, after]) => before.filter(line => after.includes(line)).length;
  await test('the comparison shows both sides with the same names, and the switch as they stand', async () => {
    await vscode.commands.executeCommand('isadiff.compareAssembly', { kernel });
    const tab = await when('the comparison', () => diffTab(false), vscode.window.tabGroups.onDidChangeTabs);
    const named = await texts(tab);
    assert.ok(named[0].length > 60 && named[1].length > 150 && !named[1].some(l => l.includes('.loc')), named.map(l => l.length).join());
    await picture({ picture: 'vscode-assembly-compared.png' });
    await vscode.commands.executeCommand('isadiff.switchNames');
    const plain = await texts(await when('the other comparison', () => !diffTab(false) && diffTab(true), vscode.window.tabGroups.onDidChangeTabs));
    assert.ok(plain[1].some(l => l.includes('.loc')));
    await vscode.commands.executeCommand('isadiff.switchNames');
    await when('the first comparison', () => !diffTab(true) && diffTab(false), vscode.window.tabGroups.onDidChangeTabs);
    assert.ok(common(named) > 45, String(common(named)));
    return `${common(named)} of ${named[0].length} lines are the same; ${tab.label}`;
  });
  await report({ done: true });
  socket.end();
};
