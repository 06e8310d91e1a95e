// What the tests of reports and recipes share.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url)), root = join(here, '../..'), dumps = join(root, 'testdata/dumps');
export const isadiff = process.env.ISADIFF ?? join(root, 'bin/isadiff');
export const cache = process.env.ISADIFF_CI_CACHE ?? join(root, '.cache/ci');

// The reason to skip a test for want of a file: false if all are there. A missing one fails the test where CI is set.
export function lacking(...files) {
  const missing = files.filter(f => !existsSync(f));
  if (missing.length === 0) return false;
  const reason = `needs ${missing.join(', ')}; ci/test.sh installs what it can`;
  if (process.env.CI) throw new Error(reason);
  return reason;
}
