// Mouse, touch and keyboard on the stage and on the flat map.

import { byId } from './dom';
import type { FlatMap } from './flat/flat_map';
import type { Stage } from './stage';
import type { Place, Store } from './state';
import type { Surface } from './surfaces/surface';

const KEY_STEP = 0.12, ZOOM_STEP = 1.25;

/** View coordinates of a pointer. */
function viewPoint(canvas: HTMLElement, event: MouseEvent): [number, number] {
  const box = canvas.getBoundingClientRect();
  return [((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2];
}

/** speak: what a keyboard found is also said. */
export function startStageHand(stage: Stage, surface: Surface, store: Store, speak: (place: Place) => void): void {
  const canvas = stage.canvas;
  const down = new Map<number, [number, number]>();
  const zoom = (factor: number) => {
    surface.zoom(factor);
    store.changed();
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    down.set(event.pointerId, viewPoint(canvas, event));
  });
  const apart = () => {
    const [a, b] = [...down.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };
  canvas.addEventListener('pointermove', (event) => {
    const now = viewPoint(canvas, event), before = down.get(event.pointerId);
    if (!before) {
      store.set({ cursor: surface.under(...now) });
      return;
    }
    if (down.size === 2) {
      const old = apart();
      down.set(event.pointerId, now);
      if (old > 0) zoom(apart() / old);
      return;
    }
    down.set(event.pointerId, now);
    surface.drag(now[0] - before[0], now[1] - before[1]);
    store.set({ cursor: surface.under(...now) });
  });
  for (const type of ['pointerup', 'pointercancel'] as const)
    canvas.addEventListener(type, (event) => down.delete(event.pointerId));
  canvas.addEventListener('pointerleave', () => {
    if (down.size === 0) store.set({ cursor: null });
  });
  // The wheel scrolls the page unless the picture has been touched, or it is a pinch.
  canvas.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)));
  }, { passive: false });
  const moves: Record<string, () => void> = {
    ArrowLeft: () => surface.drag(KEY_STEP, 0),
    ArrowRight: () => surface.drag(-KEY_STEP, 0),
    ArrowUp: () => surface.drag(0, -KEY_STEP),
    ArrowDown: () => surface.drag(0, KEY_STEP),
    '+': () => surface.zoom(ZOOM_STEP),
    '=': () => surface.zoom(ZOOM_STEP),
    '-': () => surface.zoom(1 / ZOOM_STEP),
    Home: () => surface.reset(),
  };
  canvas.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
    store.set({ cursor: surface.centre() });
    speak(surface.centre());
  });
  canvas.addEventListener('blur', () => store.set({ cursor: null }));
  for (const id of ['zoom-in', 'zoom-out']) byId(id).hidden = !surface.zooms;
  byId('zoom-in').addEventListener('click', () => zoom(ZOOM_STEP));
  byId('zoom-out').addEventListener('click', () => zoom(1 / ZOOM_STEP));
  byId('view-reset').addEventListener('click', () => {
    surface.reset();
    store.changed();
  });
}

/** surface: turned to where the map is clicked; null without a stage. */
export function startFlatHand(map: FlatMap, surface: Surface | null, store: Store, speak: (place: Place) => void): void {
  const canvas = map.canvas;
  const under = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return map.under(event.clientX - box.left, event.clientY - box.top);
  };
  canvas.addEventListener('pointermove', (event) => store.set({ cursor: under(event) }));
  canvas.addEventListener('pointerleave', () => store.set({ cursor: null }));
  canvas.addEventListener('click', (event) => {
    const place = under(event);
    if (!place) return;
    surface?.lookAt(place);
    store.set({ cursor: place });
  });
  const steps: Record<string, Place> = {
    ArrowLeft: [-1 / 36, 0], ArrowRight: [1 / 36, 0], ArrowUp: [0, 1 / 36], ArrowDown: [0, -1 / 36],
  };
  canvas.addEventListener('keydown', (event) => {
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const [across, up] = store.state.cursor ?? [0, 0];
    const inside = (x: number) => Math.min(1, Math.max(-1, x));
    const place: Place = [inside(across + step[0]), inside(up + step[1])];
    store.set({ cursor: place });
    speak(place);
  });
  canvas.addEventListener('blur', () => store.set({ cursor: null }));
}
