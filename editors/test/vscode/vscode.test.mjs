// The story in VS Code: inside its extension host, and in a browser as a person sees it.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { cache, here, Story } from '../bench.mjs';
import { openBrowser } from '../browser.mjs';
import { has, VSCode } from './window.mjs';

const packaged = join(cache, 'vsix');

test('VS Code, in the extension host', async t => {
  const browser = await openBrowser(t);
  if (!browser || !installed(t)) return;
  const story = new Story(t), outcomes = [];
  const socket = join(story.folder, 'outcomes');
  let wake;
  const server = createServer(connection => createInterface(connection).on('line', line => {
    outcomes.push(JSON.parse(line));
    wake?.();
  })).listen(socket);
  t.after(() => server.close());
  const code = await VSCode.start(t, story.folder, {
    env: { ...story.environment, ISADIFF_STORY: JSON.stringify(story), ISADIFF_SOCKET: socket },
    settings: { 'security.workspace.trust.enabled': false },
  });
  const page = await browser.newPage();
  const consoleLines = [];
  page.on('console', m => consoleLines.push(m.text()));
  await page.goto(code.url(story.project, { extensionDevelopmentPath: join(packaged, 'linux-x64'), extensionTestsPath: join(here, 'vscode/exthost.cjs') }));
  for (let n = 0; ; n++) {
    while (outcomes.length === n)
      await new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error(`the extension host says nothing more:\n${consoleLines.slice(-30).join('\n')}`)), 90_000);
        wake = () => resolve(clearTimeout(limit));
      });
    const { name, said, error, done } = outcomes[n];
    if (done) break;
    await t.test(name, t => {
      if (error) throw new Error(error);
      if (said) t.diagnostic(said);
    });
  }
});

function installed(t) {
  if (has()) return true;
  const reason = 'code-server is not installed (editors/test.sh installs it)';
  if (process.env.CI) throw new Error(reason);
  t.skip(reason);
  return false;
}
