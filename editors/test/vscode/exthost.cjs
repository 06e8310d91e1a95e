// Runs inside VS Code's extension host, with the extension loaded: plays the story through the `vscode` API. Each test's outcome goes to the
// driver through a socket, a line of JSON each.
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const vscode = require('vscode');

const story = JSON.parse(process.env.ISADIFF_STORY);
const turn = what => execFileSync('sh', [story.script, what, story.project, story.compiler ?? 'flydsl']);

/** Resolves with the first truthy answer of `check`, asked now and after each of the events. */
function when(what, check, ...events) {
  return new Promise((resolve, reject) => {
    let asking = false, again = false;
    const listeners = events.map(event => event(() => ask()));
    const limit = setTimeout(() => settle(reject, new Error(`never: ${what}`)), story.patience);
    const settle = (how, value) => {
      clearTimeout(limit);
      listeners.forEach(l => l.dispose());
      how(value);
    };
    async function ask() {
      if (asking) return void (again = true);
      asking = true;
      try {
        do {
          again = false;
          const value = await check();
          if (value) return settle(resolve, value);
        } while (again);
      } catch (error) {
        settle(reject, error);
      } finally {
        asking = false;
      }
    }
    ask();
  });
}

exports.run = async () => {
  const socket = net.connect(process.env.ISADIFF_SOCKET);
  const report = outcome => new Promise(sent => socket.write(JSON.stringify(outcome) + '\n', sent));
  const extension = vscode.extensions.getExtension('isadiff.isadiff');
  let failed = false;
  const test = async (name, body) => {
    if (failed) return; // the story goes no further
    try {
      await report({ name, said: await body() });
    } catch (error) {
      failed = true;
      await report({ name, error: `${error.stack}\n(the server: ${session?.state} ${session?.reason}; lenses: ${(await lenses()).map(l => l.command.title).join(' | ')})` });
    }
  };

  const uri = vscode.Uri.file(story.file), at = new vscode.Position(story.editedLine, story.column + 2);
  let session;
  const diagnostics = () => vscode.languages.getDiagnostics(uri).filter(d => d.source === 'isadiff');
  const lenses = async () => (await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 50)).filter(l => l.command);
  const hover = async () => (await vscode.commands.executeCommand('vscode.executeHoverProvider', uri, at)).flatMap(h => h.contents).map(c => c.value).join('\n');
  const state = wanted => when(`the status is ${wanted}`, () => [...session.statuses.values()].find(s => s.state === wanted), session.onDidChange);
  const lensLike = pattern => when(`a lens like ${pattern}`, async () => (await lenses()).find(l => pattern.test(l.command.title)), session.onDidChange);
  const diagnosed = pattern => when(`a diagnostic like ${pattern}`, () => diagnostics().find(d => pattern.test(d.message)), vscode.languages.onDidChangeDiagnostics);
  const clear = () => when('no diagnostic', () => diagnostics().length === 0, vscode.languages.onDidChangeDiagnostics);
  const overloadsAreApart = async lines => {
    const said = (await lenses()).filter(l => lines.includes(l.range.start.line));
    assert.deepEqual(said.map(l => l.range.start.line).sort((a, b) => a - b), lines);
    for (const { command } of said) assert.ok(command.title.startsWith(story.overloads.quiet), command.title);
    return said.map(l => l.command.title).join(' | ');
  };
  /** The author's edit, saved: until the compile lands the figures are older than the file. */
  const edit = async () => {
    const { document } = vscode.window.activeTextEditor, change = new vscode.WorkspaceEdit();
    change.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), story.edited);
    assert.ok(await vscode.workspace.applyEdit(change));
    assert.ok(await document.save() || !document.isDirty); // it may have been saved by itself
    assert.equal(fs.readFileSync(story.file, 'utf8'), story.edited);
    // That figures have aged is told to no one but whoever asks for the lenses.
    for (const limit = Date.now() + story.patience; !(await lenses()).some(l => /edited since/.test(l.command.title));) assert.ok(Date.now() < limit, 'never: older than this file');
    assert.deepEqual(diagnostics(), []);
  };
  const treeTexts = async (node, tree = extension.exports.kernels) => {
    const texts = [];
    for (const child of await tree.getChildren(node)) {
      const item = tree.getTreeItem(child);
      texts.push(`${item.label} ${item.description ?? ''}`, ...await treeTexts(child, tree));
    }
    return texts;
  };

  await test('the extension starts the server when a kernel is opened', async () => {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
    session = (await extension.activate()).session;
    await when('running', () => session.state === 'running' || assert.notEqual(session.state, 'failed', session.reason), session.onDidChange);
    return `VS Code ${vscode.version}`;
  });
  if (story.compiler) {
    await test('unchanged kernels have quiet lenses and no diagnostic', async () => {
      await state('ok');
      const lens = await lensLike(new RegExp(story.quiet));
      assert.equal(lens.range.start.line, story.line);
      assert.deepEqual(diagnostics(), []);
      if (story.overloads) await overloadsAreApart(story.overloads.lines);
      return `${vscode.window.activeTextEditor.document.languageId}: ${lens.command.title}`;
    });
    await test('a worse dump is underlined on the name of the kernel', async () => {
      await edit();
      turn('worse');
      const [from, to] = story.diagnosed ?? [story.before, story.after];
      const found = await diagnosed(new RegExp(`vgpr ${from} → ${to}`));
      assert.equal(found.range.start.line, story.editedLine);
      assert.equal(vscode.window.activeTextEditor.document.getText(found.range), story.name);
      assert.equal(diagnostics().length, 1);
      return found.message;
    });
    await test('its lens and hover tell the figures', async () => {
      await state('regression');
      const lens = await lensLike(new RegExp(`▲ .*vgpr ${story.before}→${story.after}`));
      assert.equal(lens.range.start.line, story.editedLine);
      assert.match(await hover(), new RegExp(`vgpr +${story.before} +${story.after} +\\+${story.after - story.before}`));
      return lens.command.title;
    });
    await test('why it changed leads to the lines, and their ends say it', async () => {
      const { command } = await lensLike(/^why$/);
      const sheet = await vscode.commands.executeCommand(command.command, ...command.arguments);
      const n = sheet.lines.findIndex(l => l.uri && /->/.test(l.text) && l.text.startsWith(path.basename(story.file)));
      const line = sheet.lines[n];
      await vscode.commands.executeCommand('isadiff.openSheetLine', n);
      const { document, selection } = vscode.window.activeTextEditor;
      assert.equal(document.uri.toString(), uri.toString());
      assert.equal(selection.active.line, line.line);
      const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', uri, new vscode.Range(0, 0, document.lineCount, 0));
      const said = hints.map(h => `${h.position.line + 1}: ${h.label}`);
      assert.ok(said.some(s => /live VGPRs/.test(s)), said.join(' | '));
      for (const h of hints) assert.equal(h.position.character, document.lineAt(h.position.line).text.length);
      return said.join(' | ');
    });
    if (story.overloads) await test('two kernels of one name keep their own lenses', () => overloadsAreApart(story.overloads.editedLines));
    await report({ done: true });
    return void socket.end();
  }
  await test('an unchanged kernel has one quiet lens and no diagnostic', async () => {
    await state('ok');
    const lens = await lensLike(/^vgpr 88 .*no spill/);
    assert.equal(lens.range.start.line, story.line);
    assert.deepEqual(diagnostics(), []);
    assert.equal((await lenses()).length, 1);
    return lens.command.title;
  });
  await test('a worse dump is underlined on the name of the kernel', async () => {
    await edit();
    turn('worse');
    const found = await diagnosed(/vgpr_spill 0 → 136.*vgpr 88 → 127/);
    assert.equal(found.range.start.line, story.editedLine);
    assert.equal(vscode.window.activeTextEditor.document.getText(found.range), 'window_filter');
    assert.equal(found.severity, vscode.DiagnosticSeverity.Warning);
    return found.message;
  });
  await test('its lens and hover tell the figures', async () => {
    await state('regression');
    const lens = await lensLike(/▲ spill 0→136/);
    assert.equal(lens.range.start.line, story.editedLine);
    assert.match(await hover(), /vgpr_spill +0 +136 +\+136/);
    return lens.command.title;
  });
  await test('the Kernels view lists it', async () => {
    const texts = await treeTexts();
    assert.ok(texts.includes('window_filter.py ▲1 · kernels'), texts.join('\n'));
    assert.ok(texts.includes('spill 0→136 · vgpr 88→127 · +1 window_filter_0'), texts.join('\n')); // figures first, and no word twice
    const first = texts.indexOf('vgpr_spill 0 → 136 (+136)');
    assert.ok(first > 0 && texts.some(t => t.startsWith('vgpr 88 → 127 (+39)')) && texts.indexOf('9 unchanged ') > first, texts.join('\n'));
    return texts.join(' | ');
  });
  await test('its rows have the hover, a filter, and steps through the regressions', async () => {
    const tree = extension.exports.kernels, [file] = await tree.getChildren(), [row] = await tree.getChildren(file);
    const item = await tree.resolveTreeItem(tree.getTreeItem(row), row, new vscode.CancellationTokenSource().token);
    assert.match(item.tooltip.value, /REGRESSION[^]*vgpr_spill +0 +136 +\+136/);
    assert.equal(item.iconPath.id, 'triangle-up');
    assert.match(tree.view.message ?? '', /^▲1 · gfx942 · baseline /);
    tree.filter('Window 136');
    assert.ok((await treeTexts()).some(t => /window_filter_0$/.test(t)));
    tree.filter('window softmax');
    assert.deepEqual(await treeTexts(), []);
    tree.filter('');
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'elsewhere' }));
    await vscode.commands.executeCommand('isadiff.nextRegression');
    const { document, selection } = vscode.window.activeTextEditor;
    assert.equal(document.uri.toString(), uri.toString());
    assert.deepEqual([selection.active.line, selection.active.character], [story.editedLine, story.column]);
    return tree.view.message;
  });
  await test('the ISA opens at the first spill', async () => {
    const answer = await vscode.commands.executeCommand('isadiff.showIsa', (await lensLike(/^assembly$/)).command.arguments[0]);
    const shown = await when('the .s file is shown', () => vscode.window.activeTextEditor?.document.uri.path.endsWith('22_final_isa.s') && vscode.window.activeTextEditor, vscode.window.onDidChangeActiveTextEditor);
    const line = shown.document.lineAt(answer.line).text;
    assert.match(line, /scratch_store|window_filter_0:/);
    await vscode.window.showTextDocument(uri);
    return line.trim();
  });
  await test('why it changed opens on a page beside the source', async () => {
    const { command } = await lensLike(/^why$/);
    const sheet = await vscode.commands.executeCommand(command.command, ...command.arguments);
    const tab = await when('its page', () => vscode.window.tabGroups.all.flatMap(g => g.tabs).find(t => t.label === sheet.title), vscode.window.tabGroups.onDidChangeTabs);
    assert.equal(tab.group.viewColumn, vscode.ViewColumn.Two);
    assert.match(sheet.lines.map(l => l.text).join('\n'), /vgpr_spill 0 -> 136.*\n.*instructions: /);
    assert.equal(vscode.window.activeTextEditor.document.uri.toString(), uri.toString());
    await vscode.window.tabGroups.close(tab);
    return sheet.lines[2].text.trim();
  });
  await test('a baseline taken by the command clears all', async () => {
    const answer = await vscode.commands.executeCommand('isadiff.snapshotBaseline');
    assert.match(answer.message, /\S/);
    await clear();
    await state('ok');
    const tree = extension.exports.kernels;
    assert.ok((await treeTexts()).some(t => /^window_filter_0 vgpr 127 /.test(t)));
    tree.showOnlyChanged(true);
    assert.deepEqual(await treeTexts(), []);
    tree.showOnlyChanged(false);
    return (await lensLike(/^vgpr 127/)).command.title;
  });
  await test('the undo brings the regression back', async () => {
    await vscode.commands.executeCommand('isadiff.undoBaseline');
    await diagnosed(/vgpr_spill 0 → 136/);
  });
  await test('a setting reaches the server, and a default does not', async () => {
    const settings = vscode.workspace.getConfiguration('isadiff');
    const severity = wanted => when(wanted, () => diagnostics()[0]?.severity === vscode.DiagnosticSeverity[wanted], vscode.languages.onDidChangeDiagnostics);
    fs.appendFileSync(path.join(story.project, 'isadiff.toml'), '[severity]\nspills = "information"\n');
    await severity('Information');
    await settings.update('severity.spills', 'error', vscode.ConfigurationTarget.Workspace);
    await severity('Error');
    await settings.update('severity.spills', undefined, vscode.ConfigurationTarget.Workspace);
    await severity('Information');
    await vscode.commands.executeCommand('isadiff.snapshotBaseline');
    await clear();
  });
  await test('a leftover that hides a newer stage is removed by its lens', async () => {
    turn('leftover');
    await state('untrustworthy');
    const mend = await when('a lens that removes it', async () => (await lenses()).find(l => l.command.command === 'isadiff.removeLeftover'), session.onDidChange);
    await vscode.commands.executeCommand(mend.command.command, ...mend.command.arguments);
    await clear();
    await state('ok');
    assert.ok(!fs.existsSync(path.join(path.dirname(story.dump), '23_final_isa.s')));
    return mend.command.title;
  });
  await test('a damaged dump is named with its cause', async () => {
    turn('damage');
    const found = await diagnosed(/cannot be judged.*metadata/);
    assert.equal(found.range.start.line, story.editedLine);
    assert.equal(found.code?.value ?? found.code, 'metadata-cut');
    await state('untrustworthy');
    const texts = await treeTexts();
    assert.ok(texts.includes('vgpr 127 in the dump, 127 in the baseline'), texts.join('\n')); // no comparison
    return found.message;
  });
  await test('the command of its lens mends it', async () => {
    const mend = await lensLike(/compile again/);
    await vscode.commands.executeCommand(mend.command.command, ...mend.command.arguments ?? []);
    await clear();
    await state('ok');
    return mend.command.title;
  });
  await test('Rescan answers, and Server Status opens what a report needs', async () => {
    const { message } = await vscode.commands.executeCommand('isadiff.rescan');
    assert.match(message, /^read again: .*RESULT: OK/);
    await vscode.commands.executeCommand('isadiff.serverStatus');
    const about = JSON.parse(vscode.window.activeTextEditor.document.getText());
    assert.match(about.server, /^isadiff \S+: .*bin\/isadiff \(from the extension\)$/);
    const [folder] = about.folders;
    assert.deepEqual([folder.root, folder.configuration, folder.dumps.path], [story.project, path.join(story.project, 'isadiff.toml'), path.join(story.project, 'dumps')]);
    await vscode.window.showTextDocument(uri);
    return `${message}; ${about.editor}, extension ${about.extension}`;
  });
  const servers = () => fs.readdirSync('/proc/self/task').flatMap(task => fs.readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' '))
    .filter(pid => pid && /\blsp\b/.test(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '))).map(Number);
  const died = () => when('its end is noticed', () => session.state !== 'running', session.onDidChange);
  const running = () => when('running', () => session.state === 'running' || assert.notEqual(session.state, 'failed', session.reason), session.onDidChange);
  await test('a crashed server is started again, and not for ever', async () => {
    let crashes = 0;
    for (; session.state !== 'failed'; crashes++) {
      await running();
      const [pid, ...more] = servers();
      assert.deepEqual(more, []);
      const gone = died();
      process.kill(pid, 'SIGKILL');
      await gone;
      await when('another state', () => session.state !== 'starting', session.onDidChange);
    }
    assert.equal(crashes, 5);
    assert.match(session.reason, /not started again/);
    assert.deepEqual(servers(), []);
    return session.reason;
  });
  await test('nor is one that dies within its handshake, and never do two run', async () => {
    const settings = vscode.workspace.getConfiguration('isadiff');
    const note = name => path.join(story.environment.DYING, name), lines = name => fs.existsSync(note(name)) ? fs.readFileSync(note(name), 'utf8').trim().split('\n') : [];
    await settings.update('server.path', story.dying, vscode.ConfigurationTarget.Workspace);
    await when('the fifth start', () => session.state === 'running' && lines('starts').length === 5, session.onDidChange);
    await state('ok');
    assert.deepEqual(servers(), [Number(lines('starts')[4])]);
    const failed = when('failed', () => session.state === 'failed', session.onDidChange);
    process.kill(servers()[0], 'SIGKILL'); // the fifth time that it ends
    await failed;
    assert.equal(lines('starts').length, 5);
    fs.writeFileSync(note('always'), '');
    fs.rmSync(note('starts'));
    await session.restart();
    await when('failed', () => session.state === 'failed', session.onDidChange);
    assert.equal(lines('starts').length, 5);
    assert.deepEqual(lines('together'), []);
    assert.deepEqual(servers(), []);
    return session.reason;
  });
  await test('a server that is too old is refused with its version', async () => {
    const old = path.join(story.folder, 'old-isadiff');
    fs.writeFileSync(old, '#!/bin/sh\necho \'{"version":"0.0.9"}\'\n', { mode: 0o755 });
    const settings = vscode.workspace.getConfiguration('isadiff');
    const missing = when('missing', () => session.state === 'missing', session.onDidChange);
    await settings.update('server.path', old, vscode.ConfigurationTarget.Workspace);
    await missing;
    assert.match(session.reason, /0\.0\.9.*newer/);
    const running = when('running', () => session.state === 'running', session.onDidChange);
    await settings.update('server.path', undefined, vscode.ConfigurationTarget.Workspace);
    await running;
    return 'and one that fits is started as soon as it is set';
  });
  await report({ done: true });
  socket.end();
};
