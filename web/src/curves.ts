// Learning curves as SVG: loss and validation, and what a solve costs.

import { element, svg } from './dom';
import type { Curves, Stage } from './payload';

interface Curve {
  name: string;
  className: string;
  x: number[];
  y: (number | null)[];
}

const WIDTH = 520, HEIGHT = 260, LEFT = 52, RIGHT = 14, TOP = 12, BOTTOM = 40;

/** About `n` round values from low to high. */
export function roundTicks(low: number, high: number, n: number): number[] {
  const rough = (high - low) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= rough)!;
  const result: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    result.push(Number((k * step).toPrecision(12)));
  return result;
}

const signed = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 4 }).replace('-', '−');

function chart(title: string, unit: string, curves: Curve[], { x: unitOfX, stages }: Curves): HTMLElement {
  const ys = curves.flatMap((curve) => curve.y).filter((y): y is number => y !== null).sort((a, b) => a - b);
  // The first iterations may be far off: the scale leaves out the highest 1 %.
  let low = ys[0], high = ys[Math.ceil(0.99 * (ys.length - 1))];
  if (high - low < 1e-9) [low, high] = [low - 1, high + 1];
  const pad = 0.05 * (high - low);
  [low, high] = [low - pad, high + pad];
  const right = stages[stages.length - 1].end;
  const x = (value: number) => LEFT + (value / right) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + ((high - Math.min(value, high)) / (high - low)) * (HEIGHT - TOP - BOTTOM);

  const root = svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img' });
  const summary = curves
    .map(({ name, y: values }) => {
      const numbers = values.filter((value): value is number => value !== null);
      return `${name} from ${signed(numbers[0])} to ${signed(numbers[numbers.length - 1])}`;
    })
    .join(', ');
  root.setAttribute('aria-label', `${title} against ${unitOfX === 'seconds' ? 'seconds' : 'iterations'}: ${summary} ${unit}.`);
  for (const value of roundTicks(low, high, 5)) {
    root.append(svg('line', { class: 'rule', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }));
    root.append(svg('text', { x: LEFT - 7, y: y(value) + 4, 'text-anchor': 'end' }, signed(value)));
  }
  for (const value of roundTicks(0, right, 5))
    root.append(svg('text', { x: x(value), y: HEIGHT - BOTTOM + 18, 'text-anchor': 'middle' }, signed(value)));
  root.append(svg('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 3, 'text-anchor': 'middle' }, unitOfX));
  stages.slice(1).forEach((_, i) => {
    const at = x(stages[i].end);
    root.append(svg('line', { class: 'rule stage', x1: at, x2: at, y1: TOP, y2: HEIGHT - BOTTOM }));
  });
  if (stages.length > 1)
    stages.forEach((stage, i) => {
      const from = x(i > 0 ? stages[i - 1].end : stage.at[0]), to = x(stage.end);
      if (to - from > 9 * String(i + 1).length)
        root.append(svg('text', { x: (from + to) / 2, y: TOP, 'text-anchor': 'middle' }, String(i + 1)));
    });
  for (const curve of curves) {
    let path = '', pen = 'M';
    curve.y.forEach((value, i) => {
      if (value === null) {
        pen = 'M';
        return;
      }
      path += `${pen}${x(curve.x[i]).toFixed(1)} ${y(value).toFixed(1)}`;
      if (pen === 'M' && (curve.y[i + 1] ?? null) === null) path += 'h0';  // alone: a round dot
      pen = 'L';
    });
    root.append(svg('path', { class: `curve ${curve.className}`, d: path }));
  }
  const line = svg('line', { class: 'hair', y1: TOP, y2: HEIGHT - BOTTOM, visibility: 'hidden' });
  root.append(line);

  const figure = element('figure');
  const caption = element('figcaption', { className: 'key' });
  caption.append(element('strong', { textContent: title }), ` (${unit})`);
  const values = curves.map((curve) => {
    const key = element('span', { className: `name ${curve.className}`, textContent: curve.name });
    const value = element('span', { className: 'value' });
    caption.append(key, value);
    return value;
  });
  root.addEventListener('pointermove', (event) => {
    const box = root.getBoundingClientRect();
    const at = ((((event as PointerEvent).clientX - box.left) / box.width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT) * right;
    if (at < 0 || at > right) return;
    line.setAttribute('visibility', 'visible');
    for (const end of ['x1', 'x2']) line.setAttribute(end, String(x(at)));
    curves.forEach((curve, i) => {
      let best = 0;
      curve.x.forEach((value, k) => {
        if (Math.abs(value - at) < Math.abs(curve.x[best] - at)) best = k;
      });
      const value = curve.y[best];
      values[i].textContent = value === null ? '' : `${signed(value)} at ${signed(Math.round(curve.x[best]))}`;
    });
  });
  root.addEventListener('pointerleave', () => {
    line.setAttribute('visibility', 'hidden');
    for (const value of values) value.textContent = '';
  });
  figure.append(caption, root);
  return figure;
}

/** One curve through the stages, broken between them: losses of different trainings are not joined by a line. */
function through(stages: Stage[], name: string, className: string, x: 'at' | 'validated_at',
                 y: 'loss' | 'evaluations' | 'validation'): Curve {
  const curve: Curve = { name, className, x: [], y: [] };
  for (const stage of stages) {
    if (stage[x].length === 0) continue;
    curve.x.push(...stage[x], stage.end);
    curve.y.push(...stage[y], null);
  }
  return curve;
}

export function drawCurves(root: HTMLElement, curves: Curves): void {
  const { stages } = curves;
  const likely = stages.filter((stage) => !stage.matching), matched = stages.filter((stage) => stage.matching);
  const draw = (title: string, unit: string, of: Curve[]) => {
    const seen = of.filter((curve) => curve.y.some((value) => value !== null && value !== 0));
    if (seen.length > 0) root.append(chart(title, unit, seen, curves));
  };
  draw('Negative log-likelihood', 'nats', [
    through(likely, 'training loss', 'first', 'at', 'loss'),
    through(stages, 'validation', 'second', 'validated_at', 'validation'),
  ]);
  draw('Loss of flow matching', 'squared speed', [through(matched, 'training loss', 'first', 'at', 'loss')]);
  draw('Evaluations of the field', 'per solve', [through(likely, 'evaluations', 'third', 'at', 'evaluations')]);
  if (stages.length > 1) {
    const list = element('ol', { className: 'stages' });
    for (const { name } of stages) list.append(element('li', { textContent: name }));
    root.append(list);
  }
}
