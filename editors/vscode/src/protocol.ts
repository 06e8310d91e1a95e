// The part of the server's surface that goes beyond the standard methods; docs/reference/protocol.md describes it.

/** Notification `isadiff/status`, and the answer of the command `isadiff.status`. */
export interface Status {
  folder: string;
  name?: string;
  elsewhere?: string;
  seq: number;
  verdict: 'OK' | 'REGRESSION' | 'NOT TRUSTWORTHY';
  exitCode: 0 | 1 | 2;
  state: 'ok' | 'regression' | 'untrustworthy' | 'pending' | 'compiling' | 'edited' | 'no-baseline' | 'no-dumps';
  text: string;
  tooltip: string;
  counts: Record<'total' | 'compared' | 'unchanged' | 'changed' | 'worse' | 'worsened' | 'improved' | 'pending' | 'edited' | 'untrustworthy', number>;
  run?: { began: string; compiled: number; known: number };
  root: string;
  configuration?: string;
  /** Of the server. */
  version: string;
  baseline: { path: string; exists: boolean; written?: string };
  dumps: { path: string; exists: boolean; polling?: boolean; reason?: string };
}

interface Position {
  line: number;
  character: number;
}

export interface Place {
  uri: string;
  range: { start: Position; end: Position };
}

export interface Problem {
  code: string;
  message: string;
  mend: string;
  command?: { title: string; command: string; arguments?: unknown[] };
}

export interface Cell {
  metric: string;
  trigger: boolean;
  before: string | null;
  after: string | null;
  delta?: number;
  reason?: string;
}

export interface Kernel {
  key: string;
  name: string;
  target: string;
  status: 'unchanged' | 'changed' | 'worse' | 'better' | 'no-baseline' | 'edited' | 'pending' | 'compiling' | 'one-sided' | 'untrustworthy';
  summary: string;
  /** The news in at most two figures, without the name. */
  label: string;
  /** What tells it from the other kernels of its definition. */
  variant?: string;
  stale: boolean;
  definition?: Place & { function: string };
  candidates?: Place[] | null;
  isa?: { uri: string; line: number };
  cells?: Cell[] | null;
  waves?: Cell;
  problems?: Problem[] | null;
}

/** The answer of the command `isadiff.kernels`: the worst first. */
export interface Kernels {
  seq: number;
  folder: string;
  kernels: Kernel[] | null;
}

/** The argument of every command; each reads what it needs. */
export interface Argument {
  folder?: string;
  kernel?: string;
  code?: string;
  file?: string;
  rev?: string;
  reason?: string;
  force?: boolean;
}

/** The answer of the command `isadiff.why`. */
export interface Sheet {
  kernel: string;
  title: string;
  /** The lines of the sheet as they are shown; `line` is 0-based, `command` what a line offers to do. */
  lines: { text: string; uri?: string; line?: number; command?: { command: string; arguments?: unknown[] } }[];
}

/** An instruction of the answer of `isadiff.assembly`; lines are 0-based. */
export interface AssemblyRow {
  line: number;
  /** The index of its source, and its line in it, if that is still there. */
  source?: number;
  at?: number;
  live?: number;
  spill?: 'store' | 'load';
  loop?: number;
  change?: 'added' | 'changed';
  gone?: number;
}

/** The answer of the command `isadiff.assembly`. */
export interface Assembly {
  seq: number;
  kernel: string;
  name: string;
  target: string;
  uri: string;
  firstLine: number;
  text: string;
  rows: AssemblyRow[];
  sources: { uri: string; version: number | null }[];
  peak?: number;
  compared: boolean;
  notes: string[];
}

/** The answer of the command `isadiff.compareAssembly`. */
export interface ComparedAssembly {
  seq: number;
  before: string;
  after: string;
  plain: boolean;
  notes: string[];
}

/** What the commands answer; each has some of it. */
export interface Answer {
  message?: string;
  /** Of `isadiff.explain` without a code: what can be explained. */
  topics?: { name: string; title: string }[];
  /** Of `isadiff.explain`: Markdown. */
  text?: string;
  code?: string;
  /** Of `isadiff.capture` and `isadiff.compare`: why it is not whole. */
  problems?: Problem[] | null;
  /** Of `isadiff.capture`: the file that holds what the compile command said. */
  log?: string;
}
