// A terminal without a window: a program in a pseudo-terminal, its screen kept by xterm.js. Whoever waits is woken by the program's output.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import xterm from '@xterm/headless';
import { patience } from './bench.mjs';

const require = createRequire(import.meta.url);

export class Terminal {
  constructor(command, args, { cwd, env, columns = 110, rows = 32 }) {
    this.columns = columns;
    this.rows = rows;
    this.bytes = [];
    this.waiting = new Set();
    this.emulator = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    const quote = word => `'${word.replaceAll("'", "'\\''")}'`;
    // script(1) makes the pseudo-terminal; it is part of every Debian.
    const line = `stty cols ${columns} rows ${rows}; exec ${[command, ...args].map(quote).join(' ')}`;
    this.child = spawn('script', ['-qefc', line, '/dev/null'], { cwd, env: { ...env, SHELL: '/bin/sh' }, stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdout.on('data', data => {
      this.bytes.push(data);
      this.emulator.write(data, () => this.waiting.forEach(look => look()));
    });
    this.child.stdin.on('error', () => {}); // the program ended while it was typed to
    this.emulator.onData(answer => this.child.stdin.write(answer)); // what the program asks the terminal
    this.ended = new Promise(resolve => this.child.on('exit', resolve));
  }

  /** The text on the screen, a line each. */
  screen() {
    const { active } = this.emulator.buffer;
    return Array.from({ length: this.rows }, (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '').join('\n');
  }

  type(keys) {
    this.child.stdin.write(keys);
  }

  /** Resolves with the match when the screen shows the pattern, or with true when a function of the screen is. */
  shows(what, milliseconds = patience) {
    const test = typeof what === 'function' ? what : screen => what.exec(screen);
    return new Promise((resolve, reject) => {
      const look = () => {
        const hit = test(this.screen());
        if (!hit) return;
        this.waiting.delete(look);
        clearTimeout(limit);
        resolve(hit);
      };
      const limit = setTimeout(() => {
        this.waiting.delete(look);
        reject(new Error(`the screen never showed ${what}:\n${this.screen()}`));
      }, milliseconds);
      this.waiting.add(look);
      look();
    });
  }

  async close() {
    this.child.stdin.destroy();
    this.child.kill(); // script(1) ends the program with it
    const limit = setTimeout(() => this.child.kill('SIGKILL'), patience);
    await this.ended;
    clearTimeout(limit);
  }

  /** Writes a picture of the screen: the same bytes, drawn by xterm.js in a page. */
  async picture(browser, path) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    try {
      await page.setContent('<body style="margin:0;background:#1b222c"><div id="t" style="display:inline-block;padding:10px"></div>');
      await page.addStyleTag({ path: require.resolve('@xterm/xterm/css/xterm.css') });
      await page.addScriptTag({ content: readFileSync(require.resolve('@xterm/xterm'), 'utf8') });
      const data = Buffer.concat(this.bytes).toString('base64');
      await page.evaluate(({ data, columns, rows }) => new Promise(drawn => {
        const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
        const terminal = new window.Terminal({ cols: columns, rows, fontFamily: 'DejaVu Sans Mono', fontSize: 13, theme: { background: '#1b222c' }, cursorBlink: false });
        terminal.open(document.getElementById('t'));
        terminal.write(bytes, () => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      }), { data, columns: this.columns, rows: this.rows });
      await page.locator('#t').screenshot({ path });
    } finally {
      await page.close();
    }
  }
}
