// The story in Vim with ALE, in a terminal. It has no code lenses: what they offer is a code action.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { has, needs, shown, Story } from './bench.mjs';
import { Terminal } from './terminal.mjs';

test('Vim with ALE', async t => {
  const vim = needs(t, 'vim');
  if (!vim) return;
  if (!has('/usr/share/vim/vimfiles/pack/dist-bundle/opt/ale')) return needs(t, 'vim-ale');
  const story = new Story(t), vimrc = join(story.folder, 'vimrc');
  // Debian's ALE is a package that must be asked for; the rest is what the page shows.
  writeFileSync(vimrc, `set nocompatible noswapfile\nfiletype plugin on\nset rtp^=/usr/share/vim/vimfiles\npackadd! ale\nlet g:ale_linters = {'python': ['isadiff']}\n${shown('vim.md', 'vim')}`);
  const terminal = new Terminal(vim, ['-N', '-u', vimrc, `+${story.line + 1}`, '+normal 5l', story.file], { cwd: story.project, env: story.environment, columns: 130 });
  story.ends.push(() => terminal.close());

  await t.test('a worse dump is a diagnostic at the kernel, where there was none', async () => {
    await terminal.shows(/def window_filter/);
    terminal.type(`:%s/OUTPUTS = \\zs32$/128/ | write\r:${story.editedLine + 1}\r5l`);
    await story.saved();
    story.turn('worse');
    await terminal.shows(/spills: vgpr_spill 0 → 136/);
  });
  await t.test('its hover tells the figures', async () => {
    terminal.type(':ALEHover\r');
    await terminal.shows(/vgpr_spill +0 +136 +\+136/);
    terminal.type(':pclose\r');
  });
  await t.test('a leftover is named, and removed by a code action', async () => {
    story.turn('leftover');
    await terminal.shows(/cannot be judged/);
    terminal.type(':ALECodeAction\r');
    await terminal.shows(/1\).*remove 23_final_isa\.s/);
    terminal.type('1\r');
    await terminal.shows(/spills: vgpr_spill 0 → 136/);
  });
});
