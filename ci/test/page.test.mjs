// The HTML report in a real browser: what it shows, by keyboard alone, in light and dark, without a network.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';
import { dumps, here, isadiff, lacking, root } from './needs.mjs';

const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const skip = lacking(isadiff, chromiumPath, join(here, 'node_modules/playwright-core'), join(here, 'node_modules/axe-core'));
const work = mkdtempSync(join(tmpdir(), 'isadiff-page-'));
const page = join(work, 'report.html'), json = join(work, 'report.json'), why = join(work, 'why.json'), trend = join(work, 'trend.html');
// Of kernels with source lines.
const lines = join(work, 'lines.html'), whyPage = join(work, 'why.html');
let browser;

test.before(async () => {
  if (skip) return;
  const { chromium } = await import('playwright-core');
  browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  // Kernels of several targets that got worse, got better, changed and stayed.
  for (const pair of ['tile-up-spills/gfx942', 'improvement/gfx942', 'double-buffer/gfx950', 'mixed/gfx1201', 'unroll-up/gfx1250']) {
    for (const side of ['before', 'after']) cpSync(join(dumps, pair, side), join(work, side, pair), { recursive: true });
  }
  for (const side of ['before', 'after']) cpSync(join(dumps, 'base/gfx950'), join(work, side, 'base'), { recursive: true });
  const run = spawnSync(isadiff, ['diff', join(work, 'before'), join(work, 'after'), '--ignore-times', '--base', 'main', '--format', `html=${page}`, '--format', `json=${json}`], { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 1, run.stdout + run.stderr);
  assert.equal(spawnSync(isadiff, ['why', join(work, 'before'), join(work, 'after'), '--ignore-times', '--json', why], { cwd: root }).status, 1);
  const hip = ['before', 'after'].map(side => join(root, 'testdata/hip', side));
  assert.equal(spawnSync(isadiff, ['diff', ...hip, '--ignore-times', '--format', `html=${lines}`], { cwd: root }).status, 1);
  assert.equal(spawnSync(isadiff, ['why', ...hip, '--ignore-times', '--html', whyPage], { cwd: root }).status, 1);
  execFileSync(isadiff, ['trend', join(work, 'before'), join(work, 'after'), '--ignore-times', '--html', trend], { cwd: root });
});

test.after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
});

// Opens a file, and fails the test on any error of the page and any request but that for the file itself.
async function open(t, file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  t.after(() => context.close());
  const tab = await context.newPage(), trouble = [];
  tab.on('console', m => trouble.push(m.text()));
  tab.on('pageerror', e => trouble.push(String(e)));
  tab.on('request', r => { if (r.url().split('#')[0] !== pathToFileURL(file).href && !r.url().startsWith('data:')) trouble.push(r.url()); });
  t.after(() => assert.deepEqual(trouble, []));
  await tab.goto(pathToFileURL(file).href);
  return tab;
}

const column = (tab, name) => tab.evaluate(name => [...document.querySelectorAll('#table thead button')].findIndex(b => b.textContent.trim() === name), name);
const cells = (tab, index) => tab.evaluate(i => [...document.querySelector('#table').tBodies[0].rows].filter(r => !r.hidden && r.cells[i]).map(r => r.cells[i].dataset.value), index);
const focused = tab => tab.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.id);

// Presses Tab until the wanted element has the focus.
async function tabTo(tab, wanted) {
  for (let i = 0; i < 200; i++) {
    if (await focused(tab) === wanted) return;
    await tab.keyboard.press('Tab');
  }
  assert.fail(`${wanted} cannot be reached by Tab`);
}

test('shows what the comparison says', { skip }, async t => {
  const tab = await open(t, page), doc = JSON.parse(readFileSync(json, 'utf8'));
  assert.equal('RESULT: ' + await tab.textContent('#verdict'), doc.verdict);
  assert.match(await tab.textContent('#tally'), new RegExp(`compared ${doc.compared_kernels} of ${doc.total_kernels} kernels; .*worsened: ${doc.worsened_metrics}; improved: ${doc.improved_metrics}$`));
  assert.equal(await tab.locator('#table tbody tr').count(), doc.total_kernels);
  for (const row of doc.rows) {
    const [dir, name] = row.kernel.split('::');
    const section = tab.locator('section.kernel').filter({ has: tab.locator('h3', { hasText: name }) }).filter({ hasText: dir });
    for (const [metric, change] of Object.entries(row.deltas)) {
      const figures = await section.locator('.figures tr').filter({ has: tab.locator('th', { hasText: new RegExp(`^${metric}$`) }) }).locator('td').allTextContents();
      assert.deepEqual(figures, [String(row.before.metrics[metric].value), String(row.after.metrics[metric].value), (change > 0 ? '+' : '') + change], `${row.kernel} ${metric}`);
    }
  }
});

test('the picture places both sides on the curve', { skip }, async t => {
  const tab = await open(t, page), doc = JSON.parse(readFileSync(json, 'utf8'));
  let pictures = 0;
  for (const row of doc.rows) {
    const { occupancy: was, occupancy_steps: old } = row.before, { occupancy: is, occupancy_steps: now } = row.after;
    const [dir, name] = row.kernel.split('::');
    const section = tab.locator('section.kernel').filter({ has: tab.locator('h3', { hasText: name }) }).filter({ hasText: dir });
    // The axes' labels give the scale; the marks are read back by it.
    const read = await section.locator('svg:not(.profile)').evaluate(svg => {
      const number = (e, a) => Number(e.getAttribute(a));
      const ticks = axis => [...svg.querySelectorAll('text.label')].filter(l => /^\d+$/.test(l.textContent) && (axis === 'x' ? l.getAttribute('dy') === '15' : l.getAttribute('dy') === '4')).map(l => [number(l, axis), Number(l.textContent)]);
      const scale = axis => { const [a, b] = [ticks(axis)[0], ticks(axis).at(-1)]; return v => a[1] + (v - a[0]) * (b[1] - a[1]) / (b[0] - a[0]); };
      const x = scale('x'), y = scale('y');
      const marks = kind => { const c = svg.querySelector(`circle.${kind}`); return c && [x(number(c, 'cx')), y(number(c, 'cy'))]; };
      return { before: marks('before'), after: marks('after'), title: svg.querySelector('title').textContent };
    });
    const near = (got, vgprs, waves) => assert.ok(Math.abs(got[0] - vgprs) < 0.6 && Math.abs(got[1] - waves) < 0.05, `${row.kernel}: ${got} is not ${vgprs}, ${waves}`);
    near(read.after, now.vgprs, now.waves);
    if (old.vgprs !== now.vgprs || old.waves !== now.waves) near(read.before, old.vgprs, old.waves);
    assert.match(read.title, new RegExp(`after: ${now.vgprs} VGPRs?, (<=)?${now.waves} wave`));
    pictures++;
  }
  assert.ok(pictures > 5);
});

test('the curve has the peaks of live registers, and lines below', { skip }, async t => {
  const tab = await open(t, page), doc = JSON.parse(readFileSync(json, 'utf8')), { kernels } = JSON.parse(readFileSync(why, 'utf8'));
  let curves = 0;
  for (const row of doc.rows) {
    const [dir, name] = row.kernel.split('::');
    const curve = tab.locator('section.kernel').filter({ has: tab.locator('h3', { hasText: name }) }).filter({ hasText: dir }).locator('svg.profile');
    assert.equal(await curve.count(), Object.keys(row.deltas).length > 0 ? 1 : 0, row.kernel);
    if (Object.keys(row.deltas).length === 0) continue;
    const { vgpr } = kernels.find(k => k.key === row.kernel).peaks;
    const read = await curve.evaluate(svg => {
      const ticks = [...svg.querySelectorAll('text.label[dy="4"]')].map(l => [Number(l.getAttribute('y')), Number(l.textContent)]), [a, b] = [ticks[0], ticks.at(-1)];
      const live = y => a[1] + (y - a[0]) * (b[1] - a[1]) / (b[0] - a[0]);
      return Object.fromEntries(['before', 'after'].map(kind => [kind, {
        most: Math.max(...[...svg.querySelector(`path.${kind}`).getAttribute('d').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(m => live(Number(m[1])))),
        mark: live(Number(svg.querySelector(`circle.${kind}`).getAttribute('cy'))),
        lines: [...svg.querySelectorAll(`text[y="${kind === 'before' ? 217 : 231}"][text-anchor=middle]`)].length,
      }]));
    });
    for (const kind of ['before', 'after']) {
      for (const got of [read[kind].most, read[kind].mark]) assert.ok(Math.abs(got - vgpr[kind].peak) < 0.3, `${row.kernel} ${kind}: ${got} is not ${vgpr[kind].peak}`);
      assert.equal(read[kind].lines, 8, `${row.kernel} ${kind}`);
    }
    curves++;
  }
  assert.ok(curves > 4);
});

test('is used by keyboard alone', { skip }, async t => {
  const tab = await open(t, page);
  await tab.keyboard.press('Tab');
  assert.equal(await focused(tab), 'Skip to the kernels');
  const vgpr = await column(tab, 'vgpr');
  await tabTo(tab, 'vgpr');
  await tab.keyboard.press('Enter');
  const down = (await cells(tab, vgpr)).map(Number);
  assert.deepEqual(down, down.toSorted((a, b) => b - a));
  assert.ok(new Set(down).size > 5);
  assert.equal(await tab.getAttribute('#table thead th[aria-sort]', 'aria-sort'), 'descending');
  await tab.keyboard.press('Space');
  const up = (await cells(tab, vgpr)).map(Number);
  assert.deepEqual(up, up.toSorted((a, b) => a - b));
  await tab.keyboard.press('Shift+Tab');
  await tabTo(tab, 'kernel');
  await tab.keyboard.press('Enter');
  const names = await tab.locator('#table tbody tr:visible th .name').allTextContents();
  assert.deepEqual(names, names.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })));

  await tab.locator('#search').focus();
  await tab.keyboard.type('softmax gfx1201');
  const found = await tab.locator('#table tbody tr:visible').allTextContents();
  assert.ok(found.length > 0 && found.every(text => /softmax/.test(text) && /gfx1201/.test(text)));
  assert.equal(await tab.textContent('#count'), `${found.length} of ${await tab.locator('#table tbody tr').count()} kernels`);
  await tab.keyboard.press('Control+A');
  await tab.keyboard.press('Delete');
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Space');
  assert.equal(await tab.locator('#table tbody tr[data-class=same]:visible').count(), 0);
  assert.ok(await tab.locator('#table tbody tr:visible').count() > 5);

  const link = tab.locator('#table tbody tr:visible th a').first(), target = await link.getAttribute('href');
  await link.focus();
  await tab.keyboard.press('Enter');
  assert.ok(await tab.locator(target).evaluate(e => { const r = e.getBoundingClientRect(); return r.top >= 0 && r.top < innerHeight; }));
});

for (const colorScheme of ['light', 'dark']) {
  test(`reads well in ${colorScheme}`, { skip }, async t => {
    for (const file of [page, lines, whyPage, trend]) {
      const tab = await open(t, file, { colorScheme, bypassCSP: true });
      const background = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b));
      assert.ok(colorScheme === 'light' ? background > 600 : background < 150, `background ${background}`);
      await tab.evaluate(() => document.querySelectorAll('details').forEach(d => { d.open = true; }));
      await tab.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'));
      const { violations } = await tab.evaluate(() => axe.run());
      assert.deepEqual(violations.map(v => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`), []);
    }
  });
}

test('fits wide and narrow screens', { skip }, async t => {
  for (const width of [1280, 390]) {
    for (const file of [page, lines, whyPage]) {
      const tab = await open(t, file, { viewport: { width, height: 800 } });
      await tab.evaluate(() => document.querySelectorAll('details').forEach(d => { d.open = true; }));
      assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${file} ${width} wide`);
    }
  }
});

test('works without scripts', { skip }, async t => {
  const tab = await open(t, page, { javaScriptEnabled: false });
  assert.ok(await tab.locator('#table tbody tr').count() > 20);
});
