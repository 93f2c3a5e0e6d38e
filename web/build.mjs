// node build.mjs [FILE]: the page's template, one file, into FILE (dist/report.html unless given). Same source, same bytes.
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, 'dist', 'report.html');

async function bundled(entry) {
  const result = await build({
    absWorkingDir: here,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'ascii',
    legalComments: 'none',
  });
  return result.outputFiles[0].text.trim();
}

const script = await bundled('src/main.ts');
const style = await bundled('src/style.css');
if (/<\/(script|style)/i.test(script + style) || /<!--/.test(script)) throw new Error('the bundle would end its own element');

// Only what was built here runs and styles, and nothing is fetched.
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy =
  `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:; ` +
  `base-uri 'none'; form-action 'none'`;
const places = { policy, script, style };
const page = (await readFile(join(here, 'src', 'page.html'), 'utf8')).replace(
  /<!--build:(\w+)-->/g, (_, name) => places[name]);
await mkdir(dirname(output), { recursive: true });
await writeFile(output, page);
console.log(`${output}: ${(page.length / 1024).toFixed(0)} KB`);
