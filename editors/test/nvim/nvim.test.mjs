// The story in Neovim, of the oldest and of the newest version.
import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { cache, here, isadiff, needs, Story } from '../bench.mjs';

for (const version of ['0.10', '0.12'])
  test(`Neovim ${version}`, async t => {
    const nvim = needs(t, `nvim-${version}`, join(cache, `nvim-${version}/usr/bin/nvim`));
    if (!nvim) return;
    const story = new Story(t), plugin = join(story.folder, 'plugin');
    cpSync(join(here, '../nvim'), plugin, { recursive: true }); // a copy: :helptags writes into it
    const child = spawn(nvim, ['--clean', '--headless', '-u', join(here, 'nvim/story.lua'), story.file], {
      cwd: story.project, env: { ...story.environment, ISADIFF_STORY: JSON.stringify({ ...story, plugin, isadiff }) }, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000,
    });
    let said = '', done = false;
    child.stderr.on('data', text => (said += text));
    for await (const line of createInterface(child.stdout)) {
      const outcome = line.startsWith('{') ? JSON.parse(line) : { said: line };
      done ||= outcome.done === true;
      if (!outcome.name) continue;
      await t.test(outcome.name, t => {
        if (outcome.error) throw new Error(outcome.error);
        if (outcome.said) t.diagnostic(outcome.said);
      });
    }
    if (!done) throw new Error(`the story ended early:\n${said}`);
  });
