// Coasts, rims and graticules as segments on the sheet: [segment][across, up, across, up].

import type { Scene } from './payload';

const UNIT = 32767;

/** What bounds: the coasts of the globe, the rim of the disk, the edge of the plane. */
export function boundarySegments(scene: Scene): Int16Array {
  const result: number[] = [];
  const around = scene.kind === 'disk' ? 180 : scene.kind === 'plane' ? 4 : 0;
  // Just inside of the plane's sheet.
  const unit = scene.kind === 'plane' ? 0.9998 * UNIT : UNIT;
  for (let i = 0; i < around; ++i)
    for (const k of [i, i + 1]) {
      const angle = (2 * Math.PI * (k + 0.5)) / around, size = scene.kind === 'plane' ? Math.SQRT2 : 1;
      for (const x of [Math.cos(angle), Math.sin(angle)]) result.push(Math.round(Math.min(unit, Math.max(-unit, unit * size * x))));
    }
  if (!scene.land) return new Int16Array(result);
  let first = 0;
  const { rings, points } = scene.land;
  for (const n of rings) {
    for (let i = 0; i < n; ++i) {
      const a = 2 * (first + i), b = 2 * (first + ((i + 1) % n));
      result.push(points[a], points[a + 1], points[b], points[b + 1]);
    }
    first += n;
  }
  return new Int16Array(result);
}

/** Lines of constant coordinates, in short pieces so that they bend with the surface. */
export function graticuleSegments(scene: Scene): Int16Array {
  const result: number[] = [];
  const line = (at: (share: number) => [number, number], pieces: number) => {
    for (let i = 0; i < pieces; ++i)
      for (const share of [i / pieces, (i + 1) / pieces])
        result.push(...at(2 * share - 1).map((x) => Math.round(UNIT * Math.min(1, Math.max(-1, x)))));
  };
  if (scene.kind === 'globe') {
    for (let k = -6; k < 6; ++k) line((s) => [k / 6, (s * 80) / 90], 40);
    for (let k = -2; k <= 2; ++k) line((s) => [s, k / 3], 90);
  } else if (scene.kind === 'torus') {
    for (let k = -3; k < 3; ++k) {
      line((s) => [k / 3, s], 72);
      line((s) => [s, k / 3], 72);
    }
  } else if (scene.kind === 'disk') {
    // Geodesics through the middle, and circles at hyperbolic distances 1, 2, 3, …
    for (let k = 0; k < 6; ++k) {
      const angle = (k * Math.PI) / 6;
      line((s) => [s * Math.cos(angle), s * Math.sin(angle)], 80);
    }
    for (let distance = 1; distance <= 4; ++distance) {
      const radius = Math.tanh(distance / 2);
      line((s) => [radius * Math.cos(s * Math.PI), radius * Math.sin(s * Math.PI)], 120);
    }
  } else {
    for (let k = -1; k <= 1; ++k) {
      line((s) => [k / 2, 0.9998 * s], 1);
      line((s) => [0.9998 * s, k / 2], 1);
    }
  }
  return new Int16Array(result);
}
