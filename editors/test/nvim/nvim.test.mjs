// The story in Neovim, of the oldest and of the newest version.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { cache, here, isadiff, needs, Story } from '../bench.mjs';
import { playInside } from '../outcomes.mjs';

for (const version of ['0.10', '0.12'])
  test(`Neovim ${version}`, async t => {
    const nvim = needs(t, `nvim-${version}`, join(cache, `nvim-${version}/usr/bin/nvim`));
    if (!nvim) return;
    const story = new Story(t), plugin = join(story.folder, 'plugin');
    cpSync(join(here, '../nvim'), plugin, { recursive: true }); // a copy: :helptags writes into it
    await playInside(t, nvim, ['--clean', '--headless', '-u', join(here, 'nvim/story.lua'), story.file], {
      cwd: story.project, env: { ...story.environment, ISADIFF_STORY: JSON.stringify({ ...story, plugin, isadiff }) },
    });
  });
