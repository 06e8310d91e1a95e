// The story in Helix, in a terminal. It has no code lenses: what they offer is a code action.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { cache, needs, shown, Story } from './bench.mjs';
import { Terminal } from './terminal.mjs';

test('Helix', async t => {
  const hx = needs(t, 'hx', join(cache, 'helix/usr/lib/hx/hx'));
  if (!hx) return;
  const story = new Story(t), config = join(story.environment.XDG_CONFIG_HOME, 'helix');
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'languages.toml'), shown('helix.md', 'toml', 0));
  writeFileSync(join(config, 'config.toml'), shown('helix.md', 'toml', 1));
  const terminal = new Terminal(hx, [`${story.file}:${story.line + 1}:${story.column + 3}`], {
    cwd: story.project, env: { ...story.environment, HELIX_RUNTIME: join(cache, 'helix/usr/lib/hx/runtime') }, columns: 130,
  });
  story.ends.push(() => terminal.close());
  const command = text => terminal.type(`:${text}\r`);
  /** Opens the code actions at the cursor and runs the one that is called so. */
  const act = async title => {
    const pattern = new RegExp(`isadiff: ${title}`);
    terminal.type(' a');
    await terminal.shows(pattern);
    const actions = terminal.screen().split('\n').filter(row => /isadiff: /.test(row));
    const wanted = actions.findIndex(row => pattern.test(row));
    assert.ok(wanted >= 0, terminal.screen());
    terminal.type('\x0e'.repeat(wanted) + '\r'); // the first is selected, C-n goes on
  };

  await t.test('a worse dump is a diagnostic at the kernel, where there was none', async () => {
    await terminal.shows(/def window_filter/);
    assert.doesNotMatch(terminal.screen(), /vgpr_spill 0 → 136/);
    terminal.type('%sOUTPUTS = 32\rcOUTPUTS = 128');
    await terminal.shows(/15 +OUTPUTS = 128/);
    terminal.type('\x1b');
    await terminal.shows(/^ *NOR /m); // an escape and what follows at once would be one key
    command('write');
    await story.saved();
    terminal.type(`:${story.editedLine + 1}\r${story.column + 2}l`);
    story.turn('worse');
    await terminal.shows(/vgpr_spill 0 → 136/);
  });
  await t.test('its hover tells the figures', async () => {
    terminal.type(' k');
    await terminal.shows(/vgpr_spill +0 +136 +\+136/);
    terminal.type('\x1b');
    await terminal.shows(screen => !/\+136/.test(screen));
  });
  await t.test(':lsp-workspace-command isadiff.snapshotBaseline clears all', async () => {
    command('lsp-workspace-command isadiff.snapshotBaseline');
    await terminal.shows(screen => !/vgpr_spill 0 → 136/.test(screen));
  });
  await t.test('a leftover is named, and removed by a code action', async () => {
    story.turn('leftover');
    await terminal.shows(/cannot be judged/);
    await act('remove 23_final_isa.s');
    await terminal.shows(screen => !/cannot be judged|isadiff: explain/.test(screen)); // nor the menu of actions
  });
  await t.test('a damaged dump is named with its cause, and mended by a code action', async () => {
    story.turn('damage');
    await terminal.shows(/cannot be judged/);
    await act('compile again');
    await terminal.shows(screen => !/cannot be judged|isadiff: explain/.test(screen)); // nor the menu of actions
  });
});
