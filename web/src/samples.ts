// The samples on their way: between two frames they go straight on.

import type { Scene } from './payload';
import type { Place } from './state';

const UNIT = 32767;

/** Diameter in CSS pixels, the rim included: smaller where there are many. */
export const dotSize = (count: number): number => (count > 20000 ? 2.6 : count > 2500 ? 3.4 : count > 300 ? 4.4 : 5.6);

/** The frame before a time, the one after, and the share of the way between them. */
export function framesAt(scene: Scene, time: number): { first: number; next: number; share: number } {
  const last = scene.samples.frames - 1, at = time * last;
  const first = Math.min(Math.floor(at), Math.max(0, last - 1));
  return { first, next: Math.min(first + 1, last), share: at - first };
}

function onSphere(a: Place, b: Place, share: number): Place {
  const p = [0, 0, 0];
  for (const [[across, up], weight] of [[a, 1 - share], [b, share]] as const) {
    const phi = (up * Math.PI) / 2, lambda = across * Math.PI, c = weight * Math.cos(phi);
    p[0] += c * Math.cos(lambda);
    p[1] += c * Math.sin(lambda);
    p[2] += weight * Math.sin(phi);
  }
  return [Math.atan2(p[1], p[0]) / Math.PI, (Math.atan2(p[2], Math.hypot(p[0], p[1])) * 2) / Math.PI];
}

/** The shorter way around. */
function onCircle(a: number, b: number, share: number): number {
  const way = b - a, x = a + share * (way - 2 * Math.round(way / 2));
  return x - 2 * Math.floor((x + 1) / 2);
}

export function sampleAt(scene: Scene, i: number, time: number): Place {
  const { count, points } = scene.samples, { first, next, share } = framesAt(scene, time);
  const place = (frame: number): Place => {
    const at = 2 * (frame * count + i);
    return [points[at] / UNIT, points[at + 1] / UNIT];
  };
  const a = place(first), b = place(next);
  if (scene.kind === 'globe') return onSphere(a, b, share);
  if (scene.kind === 'torus') return [onCircle(a[0], b[0], share), onCircle(a[1], b[1], share)];
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
}
