// A story that is played inside an editor, in the editor's own language: each outcome comes as a line of JSON.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { patience } from './bench.mjs';

export async function playInside(t, command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: 5 * patience });
  let said = '', done = false;
  child.stderr.on('data', text => (said += text));
  for await (const line of createInterface(child.stdout)) {
    if (!line.startsWith('{')) {
      said += line + '\n';
      continue;
    }
    const outcome = JSON.parse(line);
    done ||= outcome.done === true;
    if (!outcome.name) continue;
    await t.test(outcome.name, t => {
      if (outcome.error) throw new Error(outcome.error);
      if (outcome.said) t.diagnostic(outcome.said);
    });
  }
  if (!done) throw new Error(`the story ended early:\n${said}`);
}
