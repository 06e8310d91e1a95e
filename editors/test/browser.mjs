// Debian's Chromium, without a window and kept off the network.
import { chromium } from 'playwright-core';
import { needs } from './bench.mjs';

export async function openBrowser(t) {
  const executablePath = needs(t, 'chromium', '/usr/bin/chromium');
  if (!executablePath) return undefined;
  const browser = await chromium.launch({ executablePath, args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  t.after(() => browser.close());
  return browser;
}
