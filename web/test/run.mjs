// node test/run.mjs RIEMFLOW MAKE_MODEL FAILURES [NAME]: the page of `riemflow report` in a real browser. Pictures of what
// failed go to FAILURES. NAME: only the tests whose names hold it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [riemflow, makeModel, failures, only = ''] = process.argv.slice(2);
const skip = (reason) => {
  console.log(`skipped: ${reason}`);
  process.exit(77);
};
if (!existsSync(new URL('../node_modules/playwright-core', import.meta.url)))
  skip('web/node_modules is not there; scripts/setup fetches it');
const { CHROMIUM, launch, open } = await import('./browser.mjs');
if (!CHROMIUM) skip('there is no Chromium; scripts/setup installs it');
const { tests } = await import('./tests.mjs');
const { makePages } = await import('./pages.mjs');

const folder = mkdtempSync(join(tmpdir(), 'riemflow-web-'));
const browsers = {};
let failed = 0;
try {
  const start = Date.now();
  const seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
  const pages = makePages(resolve(riemflow), resolve(makeModel), folder);
  console.log(`${seconds()}  pages made`);
  for (const { name, file, gl = true, options, forgiven, check } of tests) {
    if (!name.includes(only)) continue;
    browsers[gl] ??= await launch(gl);
    const opened = await open(browsers[gl], pages.page(file), options);
    try {
      await check(opened.page, { ...opened, pages });
      assert.deepEqual(opened.problems.filter((text) => !forgiven?.test(text)), [], 'the console has nothing to complain of');
      console.log(`${seconds()}  ok  ${name}`);
    } catch (problem) {
      ++failed;
      mkdirSync(failures, { recursive: true });
      const picture = join(failures, `${name.replace(/\W+/g, '-')}.png`);
      await opened.page.screenshot({ path: picture, fullPage: true }).catch(() => {});
      console.log(`FAILED  ${name}: ${problem.stack ?? problem}\n        see ${picture}`);
    }
    await opened.close();
  }
} finally {
  for (const browser of Object.values(browsers)) await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(failed ? `${failed} failed` : 'all passed');
process.exit(failed ? 1 : 0);
