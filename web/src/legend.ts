// The colours of the density, with the values they stand for.

import { Density, powerOfTen } from './density';
import { element } from './dom';
import type { Scene } from './payload';

export function drawLegend(root: HTMLElement, scene: Scene, density: Density): void {
  const unit = scene.density.units[0];
  const bar = element('canvas', { className: 'bar', width: 256, height: 1 });
  bar.setAttribute('role', 'img');
  bar.setAttribute('aria-label', `Colours from light, low density, to dark, high density, per ${unit.name}, logarithmic`);
  const context = bar.getContext('2d')!;
  const image = context.createImageData(256, 1);
  for (let i = 0; i < 256; ++i) {
    for (let k = 0; k < 3; ++k) image.data[4 * i + k] = scene.heat[3 * i + k];
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  const ticks = element('div', { className: 'ticks' });
  const from = density.shownLow / Math.LN10, to = density.high / Math.LN10;
  for (let exponent = Math.ceil(from); exponent <= to; ++exponent) {
    const tick = element('span', { textContent: powerOfTen(exponent) });
    tick.style.left = `${(100 * (exponent - from)) / (to - from)}%`;
    ticks.append(tick);
  }
  root.append(element('p', { className: 'title', textContent: `Probability density per ${unit.name}` }), bar, ticks);
}
