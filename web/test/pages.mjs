// The pages that the tests look at, made by the tool from models of a moment.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const EVIL = '<img src=x onerror=alert(1)>';

export function makePages(riemflow, makeModel, folder) {
  const run = (...words) => execFileSync(riemflow, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  const model = (name, ...settings) => execFileSync(makeModel, [join(folder, name), ...settings]);
  const quick = ['--width', '16', '--depth', '2', '--quiet'];
  run('fit', 'earthquakes', '-o', 'quakes.model', '--dedup', '--iterations', '120', '--log', 'quakes.jsonl', ...quick);
  run('report', 'quakes.model', 'earthquakes', '--log', 'quakes.jsonl', '-o', 'globe.html');
  model('torus.model', 'manifold=torus:2', 'strength=2');
  // Two stages of two objectives, as the default of fit has them.
  const entry = (stage, iteration, more) => JSON.stringify({ stage, iteration, seconds: iteration / 10, ...more });
  writeFileSync(join(folder, 'stages.jsonl'), [
    entry('flow 1, flow matching', 10, { objective: 'flow matching', loss: 9, evaluations: 1 }),
    entry('flow 1, flow matching', 20, { objective: 'flow matching', loss: 8, evaluations: 1, validation: 3 }),
    entry('flow 1, likelihood', 30, { loss: 2.5, evaluations: 20, validation: 2.4 }),
    entry('flow 1, likelihood', 40, { loss: 2.2, evaluations: 22, validation: 2.1 }),
  ].join('\n') + '\n');
  run('report', 'torus.model', '--log', 'stages.jsonl', '-o', 'torus.html');
  model('disk.model', 'manifold=ball:2', 'strength=1');
  run('report', 'disk.model', '-o', 'disk.html');
  // Names that a careless page would run, of the file, its columns, the model and the page.
  const rows = Array.from({ length: 60 }, (_, i) => `${i},${(i * 37) % 360},${(i * 91) % 360}`);
  writeFileSync(join(folder, `${EVIL}.csv`), [`id,${EVIL},"</script><script>alert(2)</script>"`, ...rows].join('\n') + '\n');
  run('fit', `${EVIL}.csv`, '-o', 'evil.model', '--manifold', 'torus:2', '--columns', `${EVIL},</script><script>alert(2)</script>`,
    '--iterations', '3', ...quick);
  run('report', 'evil.model', `${EVIL}.csv`, '--title', EVIL, '-o', 'evil.html');
  return {
    page: (name) => join(folder, name),
    /** Of the model at a place. */
    density(modelName, header, first, second) {
      writeFileSync(join(folder, 'place.csv'), `${header}\n${first},${second}\n`);
      return Math.exp(-JSON.parse(run('score', modelName, 'place.csv', '--json')).nll);
    },
  };
}
