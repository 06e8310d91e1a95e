// The story in Emacs: with eglot, and with lsp-mode in a terminal, where code lenses are drawn.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { here, needs, shown, Story } from '../bench.mjs';
import { playInside } from '../outcomes.mjs';
import { Terminal } from '../terminal.mjs';

function configured(story, n) {
  const config = join(story.folder, 'config.el');
  writeFileSync(config, shown('emacs.md', 'elisp', n));
  return { ...story.environment, ISADIFF_STORY: JSON.stringify(story), ISADIFF_CONFIG: config };
}

test('Emacs with eglot', async t => {
  const emacs = needs(t, 'emacs');
  if (!emacs) return;
  const story = new Story(t);
  await playInside(t, emacs, ['-Q', '--batch', '-l', join(here, 'emacs/eglot.el')], { cwd: story.project, env: configured(story, 0) });
});

test('Emacs with lsp-mode', async t => {
  const emacs = needs(t, 'emacs');
  if (!emacs) return;
  const story = new Story(t);
  const terminal = new Terminal(emacs, ['-nw', '-Q', '-l', join(here, 'emacs/lsp-mode.el'), story.file], { cwd: story.project, env: configured(story, 1) });
  story.ends.push(() => terminal.close());
  const step = (name, body) => t.test(name, body);

  await step('an unchanged kernel has one quiet lens', () => terminal.shows(/vgpr 88 · no spill/));
  await step('a worse dump shows in its lens and as a diagnostic', async () => {
    terminal.type('\x1bxtest-edit\r');
    await story.saved();
    await terminal.shows(/edited since/);
    story.turn('worse');
    await terminal.shows(/▲ spill 0→136/);
    terminal.type('\x1bxflymake-show-buffer-diagnostics\r');
    await terminal.shows(/vgpr_spill 0 → 136/);
    terminal.type('\x1bxdelete-other-windows\r');
  });
  await step('M-x isadiff-take-baseline clears all', async () => {
    terminal.type('\x1bxisadiff-take-baseline\r');
    await terminal.shows(/vgpr 127 · spill 136/);
  });
  await step('a leftover is named by the lens, and removed by its command', async () => {
    story.turn('leftover');
    await terminal.shows(/remove 23_final_isa\.s/);
    terminal.type('\x1bxtest-run-lens\rremove 23_final_isa.s\r');
    await terminal.shows(/vgpr 127 · spill 136/);
  });
});
