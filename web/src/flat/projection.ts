// The sheet laid out flat: where its points go in a canvas of a given width, in CSS pixels.

import { geoEqualEarth, geoGraticule10, geoPath } from 'd3-geo';
import { roundTicks } from '../curves';
import type { Scene } from '../payload';
import type { Place } from '../state';

export interface Projection {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  toCanvas(place: Place): [number, number];
  /** Null outside of the map. */
  toSheet(x: number, y: number): Place | null;
  /** The map's edge, as a path of the context. */
  outline(context: CanvasRenderingContext2D): void;
  /** Drawn over the density: coasts, graticule, axes. */
  drawLines(context: CanvasRenderingContext2D, ink: string): void;
}

const UNIT = 32767;

/** Equal Earth: equal areas are equal, so that what looks like much is much. */
export function earthMap(scene: Scene, width: number): Projection {
  const margin = 2;
  const projection = geoEqualEarth().fitWidth(width - 2 * margin, { type: 'Sphere' }).precision(0.3);
  const [[x0, y0], [, y1]] = geoPath(projection).bounds({ type: 'Sphere' });
  const [tx, ty] = projection.translate();
  projection.translate([tx - x0 + margin, ty - y0 + margin]);
  // Longitudes are evenly spaced along a row, so that one inversion serves it all.
  const middle = projection([0, 0])![0];
  let row = { y: NaN, latitude: 0, half: 0 };
  const rings: [number, number][][] = [];
  let first = 0;
  for (const n of scene.land?.rings ?? []) {
    const ring: [number, number][] = [];
    for (let i = 0; i <= n; ++i) {
      const at = 2 * (first + (i % n));
      ring.push([(scene.land!.points[at] * 180) / UNIT, (scene.land!.points[at + 1] * 90) / UNIT]);
    }
    rings.push(ring);
    first += n;
  }
  return {
    name: 'Flat map, Equal Earth projection',
    width,
    height: y1 - y0 + 2 * margin,
    toCanvas: ([across, up]) => projection([across * 180, up * 90])!,
    toSheet(x, y) {
      if (y !== row.y) {
        const latitude = projection.invert!([middle, y])![1];
        const there = Math.abs(latitude) <= 90 && Math.abs(projection([0, latitude])![1] - y) < 0.5;
        row = { y, latitude, half: there ? projection([180, latitude])![0] - middle : 0 };
      }
      const across = (x - middle) / row.half;
      return Math.abs(across) <= 1 ? [across, row.latitude / 90] : null;
    },
    outline(context) {
      geoPath(projection, context)({ type: 'Sphere' });
    },
    drawLines(context, ink) {
      const path = geoPath(projection, context);
      context.strokeStyle = ink;
      context.globalAlpha = 0.18;
      context.lineWidth = 0.6;
      context.beginPath();
      path(geoGraticule10());
      context.stroke();
      context.globalAlpha = 0.75;
      context.beginPath();
      path({ type: 'MultiLineString', coordinates: rings });
      context.stroke();
      context.globalAlpha = 1;
    },
  };
}

/** A square with labelled axes: the torus cut open, or the plane. */
export function squareMap(scene: Scene, width: number): Projection {
  const left = 46, bottom = 40, top = 8, side = width - left - 20;
  const torus = scene.kind === 'torus';
  const toCanvas = ([across, up]: Place): [number, number] => [
    left + ((across + 1) / 2) * side, top + ((1 - up) / 2) * side,
  ];
  return {
    name: torus ? 'The torus cut open: both angles from −180 to 180 degrees' : 'The plane',
    width,
    height: side + top + bottom,
    toCanvas,
    toSheet(x, y) {
      const place: Place = [((x - left) / side) * 2 - 1, 1 - ((y - top) / side) * 2];
      return Math.max(Math.abs(place[0]), Math.abs(place[1])) <= 1 ? place : null;
    },
    outline(context) {
      context.rect(left, top, side, side);
    },
    drawLines(context, ink) {
      const shares = torus ? [-1, -2 / 3, -1 / 3, 0, 1 / 3, 2 / 3, 1] : roundTicks(-scene.half, scene.half, 5).map((x) => x / scene.half);
      const label = (share: number) =>
        String(Number((share * scene.half).toPrecision(3))).replace('-', '−') + (torus ? '°' : '');
      context.strokeStyle = '#22242b';
      context.lineWidth = 0.6;
      context.globalAlpha = 0.18;
      context.beginPath();
      for (const share of shares) {
        const [x, y] = toCanvas([share, share]);
        context.moveTo(x, top);
        context.lineTo(x, top + side);
        context.moveTo(left, y);
        context.lineTo(left + side, y);
      }
      context.stroke();
      context.globalAlpha = 1;
      context.fillStyle = ink;
      context.font = '12px system-ui, sans-serif';
      for (const share of shares) {
        const [x, y] = toCanvas([share, share]);
        context.textAlign = 'center';
        context.textBaseline = 'top';
        context.fillText(label(share), x, top + side + 5);
        context.textAlign = 'right';
        context.textBaseline = 'middle';
        context.fillText(label(share), left - 5, y);
      }
      context.textAlign = 'center';
      context.textBaseline = 'bottom';
      context.fillText(scene.axes[0], left + side / 2, top + side + bottom);
      context.save();
      context.translate(2, top + side / 2);
      context.rotate(-Math.PI / 2);
      context.textBaseline = 'top';
      if (width > 300) context.fillText(scene.axes[1], 0, 0);
      context.restore();
    },
  };
}

/** The whole Poincaré disk. */
export function diskMap(_scene: Scene, width: number): Projection {
  const margin = 3, radius = width / 2 - margin, centre = width / 2;
  return {
    name: 'The whole Poincaré disk',
    width,
    height: width,
    toCanvas: ([across, up]) => [centre + radius * across, centre - radius * up],
    toSheet(x, y) {
      const place: Place = [(x - centre) / radius, (centre - y) / radius];
      return Math.hypot(...place) < 1 ? place : null;
    },
    outline(context) {
      context.arc(centre, centre, radius, 0, 2 * Math.PI);
    },
    drawLines(context) {
      context.strokeStyle = '#22242b';
      context.lineWidth = 0.6;
      context.globalAlpha = 0.16;
      for (let distance = 1; distance <= 4; ++distance) {
        context.beginPath();
        context.arc(centre, centre, radius * Math.tanh(distance / 2), 0, 2 * Math.PI);
        context.stroke();
      }
      context.beginPath();
      for (let k = 0; k < 6; ++k) {
        const c = radius * Math.cos((k * Math.PI) / 6), s = radius * Math.sin((k * Math.PI) / 6);
        context.moveTo(centre - c, centre - s);
        context.lineTo(centre + c, centre + s);
      }
      context.stroke();
      context.globalAlpha = 1;
    },
  };
}

export function projectionFor(scene: Scene, width: number): Projection {
  if (scene.kind === 'globe') return earthMap(scene, width);
  if (scene.kind === 'disk') return diskMap(scene, width);
  return squareMap(scene, width);
}
