// The plane R², to be moved about and magnified.

import type { Place } from '../state';
import { Surface, clamp } from './surface';

const SIDE = 0.97;

export class Plane implements Surface {
  readonly name = 'Plane';
  readonly help = 'Drag to move it, pinch or + and − to zoom, arrow keys by hand, Home to reset.';
  readonly zooms = true;
  readonly mesh = false;
  private middle: Place = [0, 0];
  private scale = SIDE;
  readonly glsl = `
    uniform vec2 middle;
    uniform float scale;
    vec3 between(vec2 a, vec2 b, float t) { return vec3(mix(a, b, t), 0.0); }
    vec4 look(vec3 p) {
      // What is outside lies on the edge of the sheet.
      float seen = max(abs(p.x), abs(p.y)) < 0.9999 ? 1.0 : 0.0;
      return vec4((p.xy - middle) * scale, 0.0, seen);
    }
    bool under(vec2 view, out vec2 sheet, out float light) {
      sheet = view / scale + middle;
      light = 1.0;
      return max(abs(sheet.x), abs(sheet.y)) <= 1.0;
    }`;

  uniforms(): Record<string, number[]> {
    return { middle: this.middle, scale: [this.scale] };
  }

  under(x: number, y: number): Place | null {
    const place: Place = [x / this.scale + this.middle[0], y / this.scale + this.middle[1]];
    return Math.max(Math.abs(place[0]), Math.abs(place[1])) <= 1 ? place : null;
  }

  seen(place: Place): [number, number] | null {
    return [(place[0] - this.middle[0]) * this.scale, (place[1] - this.middle[1]) * this.scale];
  }

  centre(): Place {
    return this.middle;
  }

  drag(dx: number, dy: number): void {
    this.lookAt([this.middle[0] - dx / this.scale, this.middle[1] - dy / this.scale]);
  }

  zoom(factor: number): void {
    this.scale = clamp(this.scale * factor, SIDE, 20);
  }

  lookAt(place: Place): void {
    this.middle = [clamp(place[0], -1, 1), clamp(place[1], -1, 1)];
  }

  reset(): void {
    this.middle = [0, 0];
    this.scale = SIDE;
  }
}
