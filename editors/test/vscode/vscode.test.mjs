// The story in VS Code: inside its extension host, and in a browser as a person sees it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { cache, here, patience, pictures, Story } from '../bench.mjs';
import { openBrowser } from '../browser.mjs';
import { has, VSCode } from './window.mjs';

const packaged = join(cache, 'vsix');

for (const compiler of [undefined, 'triton', 'hip'])
  test(`VS Code, in the extension host${compiler ? `, kernels of ${compiler}` : ''}`, t => playInHost(t, 'exthost.cjs', compiler));

test('VS Code, assembly beside its source', t => playInHost(t, 'assembly.cjs', 'hip', story => story.compareWithDumps()));

/** Plays a script inside the extension host: each outcome comes as a line of JSON. */
async function playInHost(t, script, compiler, prepare = () => {}) {
  const browser = await openBrowser(t);
  if (!browser || !installed(t)) return;
  const story = new Story(t, { compiler }), outcomes = [];
  prepare(story);
  const socket = join(story.folder, 'outcomes');
  let wake, host;
  const server = createServer(connection => createInterface(host = connection).on('line', line => {
    outcomes.push(JSON.parse(line));
    wake?.();
  })).listen(socket);
  t.after(() => server.close());
  const code = await VSCode.start(t, story.folder, {
    env: { ...story.environment, ISADIFF_STORY: JSON.stringify(story), ISADIFF_SOCKET: socket },
    settings: { 'security.workspace.trust.enabled': false }, testsInside: true,
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(patience);
  const consoleLines = [];
  page.on('console', m => consoleLines.push(m.text()));
  await page.goto(code.url(story.project, { extensionDevelopmentPath: join(packaged, 'linux-x64'), extensionTestsPath: join(here, 'vscode', script) }));
  for (let n = 0; ; n++) {
    while (outcomes.length === n)
      await new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`the extension host says nothing more:\n${consoleLines.slice(-30).join('\n')}`)), 2 * patience);
        wake = () => resolve(clearTimeout(limit));
      });
    const { name, said, error, picture, documented, done } = outcomes[n];
    if (done) break;
    if (picture) {
      await page.screenshot({ path: join(documented ? pictures : cache, picture), animations: 'disabled' });
      host.write('taken\n'); // the story waits for it
    }
    if (!name) continue;
    await t.test(name, t => {
      if (error) throw new Error(error);
      if (said) t.diagnostic(said);
    });
  }
}

/** A window on the project with a file open, and what a person looks at in it. */
class Window {
  static async open(t, browser, code, folder, file) {
    const page = await (await browser.newContext({ viewport: { width: 1180, height: 720 } })).newPage();
    page.setDefaultTimeout(patience);
    t.after(() => page.close());
    await page.goto(code.url(folder, file ? { openFile: file } : {}));
    await page.locator('.monaco-workbench').waitFor();
    if (file) await page.locator('.monaco-editor .view-line').first().waitFor();
    return new Window(page);
  }

  constructor(page) {
    this.page = page;
    this.squiggles = page.locator('.squiggly-warning, .squiggly-info, .squiggly-error');
    this.status = page.locator('#isadiff\\.isadiff\\.isadiff\\.status');
    this.toast = page.locator('.notifications-toasts');
    this.quickInput = page.locator('.quick-input-widget');
  }

  lens(text) {
    return this.page.locator('.codelens-decoration a', { hasText: text }).first();
  }

  /** Opens the palette by a click in the title bar: a key goes to whatever has the focus just then. */
  async palette(text) {
    await this.page.locator('.command-center-center').first().click();
    await this.quickInput.locator('input').fill('>' + text);
  }

  async command(title) {
    await this.palette(title);
    await this.quickInput.locator('.monaco-list-row', { hasText: title }).first().click();
  }

  /** What VS Code itself measured the extension's activation to take. */
  async activation() {
    await this.page.setViewportSize({ width: 1180, height: 2000 }); // a row that is out of sight is not there
    await this.command('Developer: Show Running Extensions');
    const text = await this.page.locator('.runtime-extensions-editor .extension', { hasText: 'isadiff' }).first().locator('.activation-time').innerText();
    await this.page.keyboard.press('Escape');
    await this.page.locator('.runtime-extensions-editor').waitFor({ state: 'detached' });
    return text.trim();
  }

  /** Changes the end of a line as a person types it, and saves. */
  async retype(line, count, text) {
    await this.page.locator('.monaco-editor .view-line', { hasText: line }).first().click();
    await this.page.keyboard.press('End');
    for (let n = 0; n < count; n++) await this.page.keyboard.press('Backspace');
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Control+s');
  }

  async picture(name) {
    await this.page.screenshot({ path: join(pictures, name), animations: 'disabled' });
  }
}

test('VS Code, as a person sees it: from the package to the first diagnostic in three steps', async t => {
  const browser = await openBrowser(t);
  if (!browser || !installed(t)) return;
  const story = new Story(t, { baseline: false });
  // Step 1: install the extension; the server is in it.
  const code = await VSCode.start(t, story.folder, {
    env: story.environment, settings: { 'security.workspace.trust.enabled': false }, vsix: join(packaged, 'isadiff-linux-x64.vsix'),
  });
  const window = await Window.open(t, browser, code, story.project, story.file), { page } = window;
  const failed = async error => {
    await page.screenshot({ path: join(cache, 'vscode-failed.png') });
    throw new Error(`${error.stack}\nsee ${join(cache, 'vscode-failed.png')}`);
  };
  let broken = false; // the story goes no further
  const step = (name, body) => broken || t.test(name, t => body(t).catch(error => {
    broken = true;
    return failed(error);
  }));

  await step('step 2: take the baseline by the lens of a kernel', async () => {
    await window.lens(/^vgpr 88/).waitFor();
    assert.equal(await window.squiggles.count(), 0);
    await window.lens('take baseline').click();
    await window.toast.getByText(/baseline taken/).waitFor();
    await window.status.getByText('isadiff ✓ 1').waitFor();
    await window.lens('take baseline').waitFor({ state: 'detached' });
    await window.command('Notifications: Clear All Notifications');
    await page.locator('.explorer-folders-view').getByText('.isadiff', { exact: true }).waitFor();
    await page.locator('.activitybar .codicon-sync, .explorer-folders-view .codicon-loading, .explorer-folders-view .codicon-tree-item-loading').first().waitFor({ state: 'detached' });
    await window.picture('vscode-ok.png');
  });
  await step('step 3: change the kernel and compile it, and see what it costs', async () => {
    await window.retype('OUTPUTS = 32', 2, '128');
    await story.saved();
    await window.lens('edited since').waitFor();
    story.turn('worse');
    await window.lens('▲ spill 0→136').waitFor();
    await window.squiggles.first().waitFor();
    assert.equal(await window.squiggles.count(), 1);
    await window.status.getByText('isadiff ▲ 1').waitFor();
    await page.keyboard.press('Control+g');
    await window.quickInput.locator('input').fill(`:${story.editedLine}`);
    await page.keyboard.press('Enter');
    await page.locator('.part.statusbar').getByText(`Ln ${story.editedLine}, Col`).waitFor();
    // On the decorator there is no diagnostic, whose hover would come first.
    const name = await page.locator('.view-line', { hasText: '@flyc.kernel' }).locator('span span', { hasText: 'flyc' }).first().boundingBox();
    await page.mouse.move(name.x + 20, name.y + 60);
    await page.mouse.move(name.x + name.width / 2, name.y + name.height / 2, { steps: 8 });
    const hover = page.locator('.monaco-hover', { hasText: /vgpr_spill\s+0\s+136\s+\+136/ }).first();
    await hover.waitFor();
    await hover.getByText('loading', { exact: false }).waitFor({ state: 'detached' });
    await window.picture('vscode-regression.png');
    await page.keyboard.press('Escape');
  });
  await step('the lens says why, on a page beside the source', async () => {
    await window.lens(/^why$/).click();
    const sheet = page.frameLocator('iframe.webview').frameLocator('#active-frame');
    await sheet.getByText(/468 -> 1640 instructions/).first().waitFor();
    await window.picture('vscode-why.png');
    await page.locator('.tab', { hasText: /^why/ }).click();
    await window.command('View: Close Editor');
    await page.locator('.tab', { hasText: /^why/ }).waitFor({ state: 'detached' });
  });
  await step('the Kernels view has the figures, and its click leads to the definition', async () => {
    await page.locator('.activitybar .action-item', { has: page.locator('[aria-label^="isadiff"]') }).click();
    const row = page.locator('.monaco-list-row', { hasText: 'window_filter_0' }).first();
    await row.locator('.monaco-tl-twistie').click();
    await page.locator('.monaco-list-row', { hasText: 'vgpr_spill 0 → 136 (+136)' }).or(page.locator('.monaco-list-row', { hasText: '0 → 136' })).first().waitFor();
    await row.locator('.label-name').click();
    await page.locator('.part.statusbar').getByText(`Ln ${story.editedLine + 1}, Col`).waitFor();
    await page.locator('.activitybar .badge-content').getByText('1', { exact: true }).waitFor(); // a kernel, not its figures
    await row.hover();
    await window.picture('vscode-kernels.png');
    // Its button for the baseline asks before it hides growth.
    await row.locator('.action-label[aria-label^="Update the Baseline"]').click();
    await page.locator('.monaco-dialog-box', { hasText: 'window_filter_0 got worse' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.monaco-dialog-box').waitFor({ state: 'detached' });
    await window.lens('▲ spill 0→136').waitFor();
  });
  await step('the menu behind the status bar item opens the report', async () => {
    await window.status.click();
    await window.quickInput.getByText('Show report').waitFor();
    await window.picture('vscode-menu.png');
    await window.quickInput.getByText('Show report').click();
    await page.locator('.tab', { hasText: /Preview/ }).waitFor();
    await window.command('View: Close Editor');
  });
  await step('a baseline by the palette clears all', async () => {
    await window.command('isadiff: Take Baseline');
    await window.toast.getByText(/baseline taken/).waitFor();
    await window.squiggles.first().waitFor({ state: 'detached' });
    await window.lens(/^vgpr 127/).waitFor();
    await window.command('Notifications: Clear All Notifications');
  });
  await step('a damaged dump: the lens names the cause, and its command mends it', async () => {
    story.turn('damage');
    await window.lens('metadata-cut').waitFor();
    await window.squiggles.first().waitFor();
    await window.status.getByText('isadiff ? 1').waitFor();
    await window.picture('vscode-untrustworthy.png');
    await window.lens('compile again').click();
    await window.squiggles.first().waitFor({ state: 'detached' });
    await window.status.getByText('isadiff ✓ 1').waitFor();
  });
  await step('what it adds to start-up', async t => {
    t.diagnostic(`${await window.activation()} (goal: below 50 ms)`);
  });
  await step('the walkthrough leads through the first steps', async () => {
    await window.command('isadiff: Get Started');
    await page.getByText('Watch what your kernels cost').first().waitFor();
    for (const title of ['Let compiles leave their ISA', 'Take a baseline', 'Change a kernel and compile it']) await page.getByText(title).first().waitFor();
    // Dumps, a baseline and a change are there by now: what was done is ticked, whoever did it.
    const guide = page.locator('.gettingStartedContainer');
    await guide.locator('.codicon-getting-started-step-checked').first().waitFor();
    assert.doesNotMatch(await guide.innerText(), /`/);
  });
});

test('VS Code, a restricted window', async t => {
  const browser = await openBrowser(t);
  if (!browser || !installed(t)) return;
  const story = new Story(t);
  const code = await VSCode.start(t, story.folder, {
    env: story.environment, vsix: join(packaged, 'isadiff-linux-x64.vsix'),
    settings: { 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.banner': 'never', 'security.workspace.trust.untrustedFiles': 'open' },
  });
  const window = await Window.open(t, browser, code, story.project, story.file);
  await window.page.locator('.part.statusbar').getByText('Restricted Mode').waitFor();
  await window.lens(/^vgpr 88/).waitFor(); // figures are shown
  story.turn('damage');
  await window.lens('metadata-cut').waitFor();
  await window.lens('explain').waitFor();
  assert.equal(await window.lens('compile again').count(), 0); // but nothing is run
  await window.palette('isadiff: Compile and Capture');
  await window.quickInput.getByText('No matching commands').or(window.quickInput.getByText('similar commands')).first().waitFor();
});

test('VS Code, a workspace of two folders', async t => {
  const browser = await openBrowser(t);
  if (!browser || !installed(t)) return;
  const one = new Story(t), two = new Story(t), workspace = join(one.folder, 'two.code-workspace');
  writeFileSync(workspace, JSON.stringify({ folders: [{ name: 'one', path: one.project }, { name: 'two', path: two.project }] }));
  const code = await VSCode.start(t, one.folder, {
    env: one.environment, settings: { 'security.workspace.trust.enabled': false }, vsix: join(packaged, 'isadiff-linux-x64.vsix'),
  });
  const window = await Window.open(t, browser, code, workspace, one.file);
  await window.lens(/^vgpr 88/).waitFor();
  two.edit();
  two.turn('worse');
  await window.status.getByText('isadiff one ✓ 1 · two ▲ 1').waitFor(); // of the file that is open, and of the other folder what is worse
  await window.command('isadiff: Focus on Kernels View');
  const row = text => window.page.locator('.monaco-list-row', { hasText: text }).first();
  await row('isadiff ✓ 1').getByText('one').waitFor();
  await row('isadiff ▲ 1').getByText('two').waitFor();
});

test('VS Code, a folder without kernels', async t => {
  const browser = await openBrowser(t);
  if (!browser || !installed(t)) return;
  const story = new Story(t), folder = join(story.folder, 'plain');
  mkdirSync(folder);
  writeFileSync(join(folder, 'plain.py'), 'print("nothing to compile")\n');
  const code = await VSCode.start(t, story.folder, {
    env: story.environment, settings: { 'security.workspace.trust.enabled': false }, vsix: join(packaged, 'isadiff-linux-x64.vsix'),
  });
  const window = await Window.open(t, browser, code, folder, join(folder, 'plain.py'));
  t.diagnostic(`${await window.activation()} to find out that there is nothing to do`);
  assert.equal(await window.status.count(), 0);
  assert.equal(await window.page.locator('.activitybar .action-label[aria-label^="isadiff"]').count(), 0);
});

function installed(t) {
  if (has()) return true;
  const reason = 'code-server is not installed (editors/test.sh installs it)';
  if (process.env.CI) throw new Error(reason);
  t.skip(reason);
  return false;
}
