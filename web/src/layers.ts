// Which layers are shown.

import { element } from './dom';
import type { Scene } from './payload';
import type { Store } from './state';

export function startLayers(root: HTMLElement, scene: Scene, store: Store): void {
  const count = (n: number) => n.toLocaleString('en');
  const layers = [
    { id: 'density', label: 'Density', colour: '' },
    { id: 'lines', label: scene.kind === 'globe' ? 'Coastlines' : 'Grid', colour: '' },
    ...scene.layers.map(({ id, label, colour, count: n, of }) =>
      ({ id, label: `${label} (${n < of ? `${count(n)} of ${count(of)}` : count(n)})`, colour })),
    { id: 'samples', label: `Samples (${count(scene.samples.count)})`, colour: scene.samples.colour },
  ];
  const boxes: HTMLInputElement[] = [];
  for (const { id, label, colour } of layers) {
    const box = element('input', { type: 'checkbox', id: `layer-${id}`, checked: store.state.visible[id] });
    box.addEventListener('change', () =>
      store.set({ visible: { ...store.state.visible, [id]: box.checked } }));
    const row = element('label');
    row.append(box);
    if (colour) {
      const dot = element('span', { className: 'dot' });
      dot.style.background = colour;
      row.append(dot);
    }
    row.append(label);
    root.append(row);
    boxes.push(box);
  }
  store.listen(() => layers.forEach(({ id }, i) => (boxes[i].checked = store.state.visible[id])));
}
