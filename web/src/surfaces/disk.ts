// The hyperbolic plane as the Poincaré disk of radius 1. Moving about is an isometry, z ↦ (z + c)/(1 + c̄z): what is dragged
// keeps its hyperbolic shape, and the rim stays where it is.

import type { Place } from '../state';
import { Surface, clamp } from './surface';

const RADIUS = 0.97;

type Complex = [number, number];

export function moebius(z: Complex, c: Complex): Complex {
  const top: Complex = [z[0] + c[0], z[1] + c[1]];
  const bottom: Complex = [1 + c[0] * z[0] + c[1] * z[1], c[0] * z[1] - c[1] * z[0]];
  const square = bottom[0] ** 2 + bottom[1] ** 2;
  return [(top[0] * bottom[0] + top[1] * bottom[1]) / square, (top[1] * bottom[0] - top[0] * bottom[1]) / square];
}

export class Disk implements Surface {
  readonly name = 'Hyperbolic disk';
  readonly help =
    'Drag to move through the hyperbolic plane (its shapes stay true, the rim is infinitely far), arrow keys by hand, Home to reset.';
  readonly zooms = false;
  readonly mesh = false;
  private shift: Complex = [0, 0];
  readonly glsl = `
    uniform vec2 shift;
    const float RADIUS = ${RADIUS};
    vec2 moebius(vec2 z, vec2 c) {
      vec2 top = z + c, bottom = vec2(1.0 + dot(c, z), c.x * z.y - c.y * z.x);
      return vec2(dot(top, bottom), top.y * bottom.x - top.x * bottom.y) / dot(bottom, bottom);
    }
    vec3 between(vec2 a, vec2 b, float t) { return vec3(mix(a, b, t), 0.0); }
    vec4 look(vec3 p) { return vec4(moebius(p.xy, shift) * RADIUS, 0.0, 1.0); }
    bool under(vec2 view, out vec2 sheet, out float light) {
      vec2 z = view / RADIUS;
      light = 1.0;
      if (dot(z, z) >= 1.0) return false;
      sheet = moebius(z, -shift);
      return true;
    }`;

  uniforms(): Record<string, number[]> {
    return { shift: this.shift };
  }

  under(x: number, y: number): Place | null {
    const z: Complex = [x / RADIUS, y / RADIUS];
    return Math.hypot(...z) < 1 ? moebius(z, [-this.shift[0], -this.shift[1]]) : null;
  }

  seen(place: Place): [number, number] | null {
    const z = moebius(place, this.shift);
    return [z[0] * RADIUS, z[1] * RADIUS];
  }

  centre(): Place {
    return [-this.shift[0], -this.shift[1]];
  }

  /** Moves what is in the middle by as much. */
  drag(dx: number, dy: number): void {
    const step: Complex = [clamp(dx, -0.9, 0.9), clamp(dy, -0.9, 0.9)];
    const next = moebius(this.shift, step);
    if (Math.hypot(...next) < 0.99) this.shift = next;
  }

  zoom(): void {}

  lookAt(place: Place): void {
    const most = 0.95 / Math.max(0.95, Math.hypot(...place));
    this.shift = [-place[0] * most, -place[1] * most];
  }

  reset(): void {
    this.shift = [0, 0];
  }
}
