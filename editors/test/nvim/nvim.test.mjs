// The story in Neovim, of the oldest and of the newest version.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { cache, here, isadiff, needs, pictures, shown, Story } from '../bench.mjs';
import { openBrowser } from '../browser.mjs';
import { playInside } from '../outcomes.mjs';
import { Terminal } from '../terminal.mjs';

for (const [version, compiler] of ['0.10', '0.12'].flatMap(v => [[v], [v, 'triton'], [v, 'hip']]))
  test(`Neovim ${version}${compiler ? `, kernels of ${compiler}` : ''}`, async t => {
    const nvim = needs(t, `nvim-${version}`, join(cache, `nvim-${version}/usr/bin/nvim`));
    if (!nvim) return;
    const story = new Story(t, { compiler }), plugin = join(story.folder, 'plugin');
    cpSync(join(here, '../nvim'), plugin, { recursive: true }); // a copy: :helptags writes into it
    await playInside(t, nvim, ['--clean', '--headless', '-u', join(here, 'nvim/story.lua'), story.file], {
      cwd: story.project, env: { ...story.environment, ISADIFF_STORY: JSON.stringify({ ...story, plugin, isadiff }) },
    });
  });

for (const version of ['0.10', '0.12'])
  test(`Neovim ${version}, assembly beside its source`, async t => {
    const nvim = needs(t, `nvim-${version}`, join(cache, `nvim-${version}/usr/bin/nvim`));
    if (!nvim) return;
    const story = new Story(t, { compiler: 'hip' }), plugin = join(story.folder, 'plugin');
    story.compareWithDumps();
    cpSync(join(here, '../nvim'), plugin, { recursive: true });
    await playInside(t, nvim, ['--clean', '--headless', '-u', join(here, 'nvim/assembly.lua'), story.file], {
      cwd: story.project, env: { ...story.environment, ISADIFF_STORY: JSON.stringify({ ...story, plugin, isadiff }) },
    });
  });

test('Neovim 0.12 in a terminal, the plugin installed by vim.pack as docs/use/editors/neovim.md shows', async t => {
  const nvim = needs(t, 'nvim-0.12', join(cache, 'nvim-0.12/usr/bin/nvim')), git = nvim && needs(t, 'git');
  if (!git) return;
  const story = new Story(t), repository = join(story.folder, 'isadiff.git'), config = join(story.environment.XDG_CONFIG_HOME, 'nvim');
  cpSync(join(here, '../nvim'), join(repository, 'editors/nvim'), { recursive: true });
  for (const args of [['init', '-q', '-b', 'main'], ['add', '.'], ['-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '-m', 'plugin']])
    execFileSync(git, args, { cwd: repository, env: story.environment });
  mkdirSync(config, { recursive: true });
  const install = shown('neovim.md', 'lua', 0);
  writeFileSync(join(config, 'init.lua'), `vim.g.isadiff = { trusted = true }
vim.opt.swapfile, vim.opt.laststatus, vim.opt.number, vim.opt.signcolumn = false, 2, true, 'yes'
vim.diagnostic.config({ virtual_text = true })
local pack = vim.pack.add
vim.pack.add = function(specs, options) pack(specs, vim.tbl_extend('force', options, { confirm = false })) end
${install.replace("'URL'", `'file://${repository}'`)}
vim.opt.statusline = " %f %m%=%{v:lua.require'isadiff'.statusline()} "
`);
  const terminal = new Terminal(nvim, [`+${story.line + 1}`, '+normal! 5l', story.file], { cwd: story.project, env: story.environment, columns: 128, rows: 34 });
  story.ends.push(() => terminal.close());
  await t.test('an unchanged kernel', () => terminal.shows(/vgpr 88 · no spill[\s\S]*isadiff ✓ 1/));
  await t.test('a worse dump: lens, diagnostic, status line and hover', async t => {
    terminal.type(':silent %s/^OUTPUTS = \\zs32$/128/ | silent write\r');
    await story.saved();
    await terminal.shows(/edited since/);
    story.turn('worse');
    // Neovim does not keep the order of lenses on one line.
    await terminal.shows(/▲ spill 0→136 .*\bassembly\b/);
    await terminal.shows(/▲ spill 0→136 .*\baccept\b/);
    await terminal.shows(/isadiff ▲ 1/);
    await terminal.shows(/■ window_filter_0 spills/);
    // The kernel near the top, so that the hover hides nothing, and a clean line of messages.
    terminal.type(`:${story.editedLine + 1}\r6lzt4\x19\x0cK`);
    await terminal.shows(/vgpr_spill +0 +136 +\+136/);
    await terminal.shows(screen => screen.split('\n').at(-1).trim() === '');
    const browser = await openBrowser(t);
    if (browser) await terminal.picture(browser, join(pictures, 'neovim-regression.png'));
  });
  await t.test(':Isadiff baseline', async () => {
    terminal.type('h:Isadiff baseline\r');
    await terminal.shows(/vgpr 127 · spill 136[\s\S]*isadiff ✓ 1/);
  });
});
