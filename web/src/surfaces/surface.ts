// A manifold as it is seen: how its sheet is placed in the picture, and how a hand moves it.
// View coordinates: the square of the picture is [−1, 1]², y upward.

import type { Place } from '../state';

export interface Surface {
  /** What it is called to people who cannot see it. */
  readonly name: string;
  readonly help: string;
  /**
   * GLSL: uniforms, and
   *   vec3 between(vec2 a, vec2 b, float t)   the point a share t of the way from sheet point a to b
   *   vec4 look(vec3 p)                       view x and y, depth in [−1, 1] (near is −1), and > 0 where p can be seen
   *   bool under(vec2 view, out vec2 sheet, out float light)   unless it is a mesh
   */
  readonly glsl: string;
  /** Drawn as a mesh of the sheet with a depth buffer, not by rays. */
  readonly mesh: boolean;
  /** Whether it can be magnified. */
  readonly zooms: boolean;
  uniforms(): Record<string, number[]>;
  /** The sheet point that is seen there. */
  under(x: number, y: number): Place | null;
  /** Where a sheet point is seen; null if it is hidden. */
  seen(place: Place): [number, number] | null;
  /** The middle of the picture. */
  centre(): Place;
  drag(dx: number, dy: number): void;
  zoom(factor: number): void;
  lookAt(place: Place): void;
  reset(): void;
}

export const clamp = (x: number, low: number, high: number): number => Math.min(high, Math.max(low, x));

/** Into [−1, 1), the sheet's side being 2. */
export const wrap = (x: number): number => x - 2 * Math.floor((x + 1) / 2);

/** A camera that turns around the vertical axis and tilts; parallel rays. */
export class Turntable {
  yaw = 0;
  tilt = 0;
  scale = 1;

  /** Rows: right, up and toward the eye, in the coordinates of the body. */
  axes(): [number, number, number][] {
    const cy = Math.cos(this.yaw), sy = Math.sin(this.yaw), ct = Math.cos(this.tilt), st = Math.sin(this.tilt);
    return [[-sy, cy, 0], [-st * cy, -st * sy, ct], [ct * cy, ct * sy, st]];
  }

  /** For a mat3, which is stored by columns: the transpose of axes(). */
  matrix(): number[] {
    const [r, u, e] = this.axes();
    return [r[0], u[0], e[0], r[1], u[1], e[1], r[2], u[2], e[2]];
  }

  toView(p: readonly number[]): [number, number, number] {
    const [r, u, e] = this.axes();
    const dot = (a: number[]) => a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
    return [dot(r) * this.scale, dot(u) * this.scale, dot(e)];
  }

  /** From view coordinates, the last one in units of the body. */
  fromView(x: number, y: number, z: number): [number, number, number] {
    const [r, u, e] = this.axes();
    const at = (i: number) => (r[i] * x + u[i] * y) / this.scale + e[i] * z;
    return [at(0), at(1), at(2)];
  }

  turn(dx: number, dy: number): void {
    this.yaw -= dx / this.scale;
    this.tilt = clamp(this.tilt - dy / this.scale, -Math.PI / 2, Math.PI / 2);
  }
}
