// What the tests of all editors share: where things are installed, a project to play the story in, and how a missing tool is told.
import { execFileSync } from 'node:child_process';
import { accessSync, appendFileSync, constants, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = fileURLToPath(new URL('.', import.meta.url));
export const repository = fileURLToPath(new URL('../..', import.meta.url));
export const cache = process.env.ISADIFF_EDITORS_CACHE ?? join(repository, '.cache/editors');
/** Where pictures are written: those of the documentation only when they are asked for, since no two are the same to the byte. */
export const pictures = process.env.ISADIFF_PICTURES ? join(repository, 'docs/images') : join(cache, 'pictures');
export const isadiff = process.env.ISADIFF ?? join(cache, 'bin/isadiff');
/** The milliseconds that a test waits for what must happen before it fails: more than a machine needs that has much else to do. */
export const patience = 120_000;
mkdirSync(pictures, { recursive: true });

/** An environment without what the machine's user configured. */
export function cleanEnvironment(home) {
  const { LANG = 'C.UTF-8' } = process.env;
  return { PATH: `${join(home, 'bin')}${delimiter}${process.env.PATH}`, LANG: /utf-?8/i.test(LANG) ? LANG : 'C.UTF-8', TERM: 'xterm-256color', HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state'),
    XDG_DATA_HOME: join(home, 'data'), XDG_CACHE_HOME: join(home, 'cache'), ISADIFF: isadiff };
}

/**
 * The kernel that the story is played on, of each compiler: where it is defined, what its changed compile costs, and the change of the source that
 * its second dump was compiled from, each piece with what takes its place.
 */
const kernels = {
  flydsl: { source: 'window_filter.py', name: 'window_filter', definition: 'def window_filter(', change: [['OUTPUTS = 32\n', 'OUTPUTS = 128\n']] },
  triton: {
    source: 'kernels.py', name: 'matmul', definition: 'def matmul(', quiet: '3 variants · 3 unchanged · vgpr 70–109', before: 109, after: 141,
    change: [
      ['    sums = tl.zeros((M, N), dtype=tl.float32)\n', '    sums = tl.zeros((M, N), dtype=tl.float32)\n    norms = tl.zeros((M, N), dtype=tl.float32)\n'],
      ['        sums += tl.dot(left, right)\n', '        sums += tl.dot(left, right)\n        norms += tl.dot(tl.abs(left), tl.abs(right))\n'],
      ['sums.to(tl.float16))', '(sums / (1.0 + norms)).to(tl.float16))'],
    ],
  },
  hip: {
    source: 'kernels.hip', name: 'smooth', definition: '__global__ void smooth(', quiet: '2 variants · 2 unchanged · vgpr 35–36', before: 35, after: 73, diagnosed: [36, 61], // the variant that loses a wave
    // Two kernels of one name: an edit above them moves both, and what each costs must not be told of the other.
    overloads: { definition: '__global__ void copy(', name: 'copy', quiet: '2 variants · 2 unchanged' },
    change: [
      ['  float taps[32];\n', '  float taps[96];\n'],
      ['  for (int i = 0; i < 32; i++) sum += in[i] * w.taps[i];\n',
        '  float held[96];\n  for (int i = 0; i < 96; i++) held[i] = in[i];\n  __builtin_amdgcn_s_barrier();\n  for (int i = 0; i < 96; i++) sum += held[95 - i] * w.taps[i];\n'],
    ],
  },
};

function changed(text, change) {
  for (const [from, to] of change) {
    if (text.split(from).length !== 2) throw new Error(`the change of the source fits no more: ${JSON.stringify(from)}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/** The 0-based lines that have a piece of text. */
function linesOf(text, piece) {
  return text.split('\n').flatMap((line, n) => line.includes(piece) ? [n] : []);
}

/** A project whose kernel was compiled and has a baseline, and the turns of the story. */
export class Story {
  /** @param compiler triton or hip: the short story of a compiler other than FlyDSL */
  constructor(t, { baseline = true, compiler } = {}) {
    this.folder = mkdtempSync(join(tmpdir(), 'isadiff-story-'));
    this.home = join(this.folder, 'home');
    this.project = join(this.folder, 'project');
    mkdirSync(join(this.home, 'bin'), { recursive: true });
    symlinkSync(isadiff, join(this.home, 'bin/isadiff')); // on PATH, as a person would have it
    /** What ends the programs that use the project, the last one first: before its folder goes, or they go on writing into it. */
    this.ends = [];
    t.after(async () => {
      for (const end of this.ends.reverse()) await end();
      try {
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
      } catch (error) { // a program that ends in a later hook still writes there; that hook has to run
        t.diagnostic(`${this.folder} is left: ${error.message}`);
      }
    });
    this.script = join(here, 'story.sh');
    /** A server that dies within its handshake, and where it notes its starts. */
    this.dying = join(here, 'dying.sh');
    this.environment = { ...cleanEnvironment(this.home), DYING: join(this.folder, 'dying') };
    mkdirSync(this.environment.DYING);
    this.compiler = compiler;
    this.patience = patience;
    this.turn('make');
    if (!baseline) rmSync(join(this.project, '.isadiff'), { recursive: true });
    const { source, definition, change, overloads, ...kernel } = kernels[compiler ?? 'flydsl'];
    Object.assign(this, kernel);
    this.file = join(this.project, 'kernels', source);
    this.dump = join(this.project, 'dumps/window_filter/window_filter_0/22_final_isa.s');
    const text = readFileSync(this.file, 'utf8');
    /** The source as its author changes it before the second compile. */
    this.edited = changed(text, change);
    /** The 0-based line and column of the kernel's name in its definition, and its line after the edit. */
    [this.line] = linesOf(text, definition);
    [this.editedLine] = linesOf(this.edited, definition);
    this.column = text.split('\n')[this.line].indexOf(`${this.name}(`);
    if (overloads) this.overloads = { ...overloads, lines: linesOf(text, overloads.definition), editedLines: linesOf(this.edited, overloads.definition) };
  }

  /** The edit, made by another program than the editor. */
  edit() {
    writeFileSync(this.file, this.edited);
  }

  /** Takes the dumps of now, which hold assembly, for the baseline. */
  compareWithDumps() {
    cpSync(join(this.project, 'dumps'), join(this.project, 'base'), { recursive: true, preserveTimestamps: true });
    appendFileSync(join(this.project, 'isadiff.toml'), 'baseline = "base"\n');
  }

  /** Resolves when the editor has written the edit. */
  saved() {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (readFileSync(this.file, 'utf8') !== this.edited) return;
        settle(resolve);
      };
      const settle = (how, value) => {
        watcher.close();
        clearTimeout(limit);
        how(value);
      };
      const watcher = watch(dirname(this.file), () => existsSync(this.file) && look());
      const limit = setTimeout(() => settle(reject, new Error(`the edit was not saved:\n${readFileSync(this.file, 'utf8')}`)), patience);
      look();
    });
  }

  turn(what) {
    execFileSync('sh', [this.script, what, this.project, this.compiler ?? 'flydsl'], { env: this.environment, stdio: ['ignore', 'inherit', 'inherit'] });
  }
}

/** The first of the paths, or program on PATH, that can be started; else skips the test with the reason, and fails it where CI is set. */
export function needs(t, name, ...paths) {
  const onPath = (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name));
  for (const path of [...paths, ...onPath]) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  const reason = `${name} is not installed (editors/test.sh installs it as root on Debian)`;
  if (process.env.CI) throw new Error(reason);
  t.skip(reason);
  return undefined;
}

export function has(...path) {
  return existsSync(join(...path));
}

/** The n-th fenced block of a language on a page of docs/use/editors: what the tests run is what the pages show. */
export function shown(page, language, n = 0) {
  const blocks = [...readFileSync(join(repository, 'docs/use/editors', page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(b => b[1] === language);
  if (!blocks[n]) throw new Error(`docs/use/editors/${page} has no block ${n} of ${language}`);
  return blocks[n][2];
}
