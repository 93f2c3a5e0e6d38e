// Brings the page to life. All that matters stands in it without this.

import { drawCurves } from './curves';
import { Density } from './density';
import { byId } from './dom';
import { FlatMap } from './flat/flat_map';
import { startFlatHand, startStageHand } from './hand';
import { startLayers } from './layers';
import { drawLegend } from './legend';
import { Scene, readPayload } from './payload';
import { startPlayer } from './player';
import { readoutText } from './readout';
import { Stage } from './stage';
import { Place, Store } from './state';
import { Disk } from './surfaces/disk';
import { Globe } from './surfaces/globe';
import { Plane } from './surfaces/plane';
import type { Surface } from './surfaces/surface';
import { Torus } from './surfaces/torus';
import { startTheme } from './theme';

/** Where the density is largest, and not too near a pole. */
function peak(scene: Scene): Place {
  const { rows, columns, codes } = scene.density;
  const best = codes.indexOf(codes.reduce((a, b) => Math.max(a, b)));
  const up = ((Math.floor(best / columns) + 0.5) / rows) * 2 - 1;
  return [(((best % columns) + 0.5) / columns) * 2 - 1, Math.min(0.45, Math.max(-0.45, up))];
}

function surfaceFor(scene: Scene): Surface {
  if (scene.kind === 'globe') return new Globe(peak(scene));
  if (scene.kind === 'torus') return new Torus();
  return scene.kind === 'disk' ? new Disk() : new Plane();
}

function makeStage(scene: Scene, density: Density, surface: Surface): Stage | null {
  try {
    return new Stage(byId<HTMLCanvasElement>('stage'), scene, density, surface);
  } catch {
    return null;
  }
}

/** The reader is told what the keyboard found once it rests. */
function speaker(scene: Scene, density: Density): (place: Place) => void {
  let timer = 0;
  return (place) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => (byId('spoken').textContent = readoutText(scene, density, place)), 250);
  };
}

function startPicture(scene: Scene): Store {
  const density = new Density(scene);
  const surface = surfaceFor(scene);
  const visible: Record<string, boolean> = { density: true, lines: true, training: false, test: true, data: true };
  visible.samples = scene.layers.length === 0;
  const store = new Store({ visible, time: 1, playing: false, cursor: null });
  byId('views').hidden = false;

  const stage = makeStage(scene, density, surface);
  const flat = new FlatMap(byId<HTMLCanvasElement>('flat'), scene, density);
  const speak = speaker(scene, density);
  if (stage) {
    stage.canvas.setAttribute('role', 'application');
    stage.canvas.setAttribute('aria-label', `${surface.name} with the density`);
    stage.canvas.setAttribute('aria-describedby', 'stage-help');
    byId('stage-help').textContent = surface.help;
    startStageHand(stage, surface, store, speak);
  } else {
    document.body.classList.add('no-webgl');
    byId('stage-figure').hidden = true;
    const note = byId('no-webgl');
    note.hidden = false;
    note.textContent = 'This browser has no WebGL 2, so that only the flat picture is shown.';
  }
  flat.canvas.setAttribute('role', 'application');
  flat.canvas.setAttribute('aria-label', `${flat.name}, with the density; arrow keys move the cursor`);
  byId('flat-help').textContent = flat.name + (stage ? '. A click turns the other picture there.' : '.');
  startFlatHand(flat, stage ? surface : null, store, speak);
  startLayers(byId('layers'), scene, store);
  startPlayer(scene, store);
  drawLegend(byId('legend'), scene, density);

  const readout = byId('readout');
  const percent = Math.ceil(100 * scene.density.precision);
  const idle = `Point at the picture to read the density there, within ${percent} %.`;
  store.listen(() => {
    stage?.draw(store.state);
    flat.draw(store.state);
    drawRing(stage, surface, store.state.cursor);
    readout.textContent = store.state.cursor ? readoutText(scene, density, store.state.cursor) : idle;
  });
  new ResizeObserver(() => store.changed()).observe(byId('views'));
  store.changed();
  return store;
}

/** The cursor on the stage, when it is the flat map that is pointed at. */
function drawRing(stage: Stage | null, surface: Surface, cursor: Place | null): void {
  if (!stage) return;
  const ring = byId('ring');
  const at = cursor && surface.seen(cursor);
  ring.hidden = !at;
  if (!at) return;
  ring.style.left = `${50 * (1 + at[0])}%`;
  ring.style.top = `${50 * (1 - at[1])}%`;
}

/** Closed parts are opened for printing. */
function openForPrint(): void {
  let closed: HTMLDetailsElement[] = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open])')];
    for (const part of closed) part.open = true;
  });
  addEventListener('afterprint', () => closed.forEach((part) => (part.open = false)));
}

/** The picture for readers without scripts, where something here went wrong. */
function showStill(): void {
  const source = document.querySelector('noscript')?.textContent?.match(/src="(data:image\/png;base64,[^"]+)"/)?.[1];
  byId('views').hidden = true;
  if (!source) return;
  const image = Object.assign(new Image(), { src: source, className: 'still', alt: 'The density' });
  byId('picture').prepend(image);
}

function start(): void {
  document.documentElement.classList.add('scripted');
  const payload = readPayload(byId('payload').textContent ?? '{}');
  let store: Store | null = null;
  if (payload.scene) {
    try {
      store = startPicture(payload.scene);
    } catch (problem) {
      console.error(problem);
      showStill();
    }
  }
  if (payload.curves) drawCurves(byId('curves'), payload.curves);
  startTheme(byId<HTMLButtonElement>('theme'), () => store?.changed());
  openForPrint();
}

start();
