// The torus in space: angle 1 around the hole, angle 2 around the tube.

import type { Place } from '../state';
import { Surface, Turntable, clamp } from './surface';

const RING = 0.62, TUBE = 0.34;
const HOME = { yaw: -Math.PI / 2, tilt: 0.85 };

export class Torus implements Surface {
  readonly name = 'Torus';
  readonly help =
    'Drag to turn it, pinch or + and − to zoom, arrow keys to turn it by hand, Home to reset. Angle 1 goes around the hole, angle 2 around the tube.';
  readonly zooms = true;
  readonly mesh = true;
  private readonly camera = new Turntable();
  readonly glsl = `
    uniform mat3 camera;
    uniform float scale;
    const float PI = 3.14159265358979;
    vec3 place(vec2 s) {
      vec2 u = s * PI;
      float ring = ${RING} + ${TUBE} * cos(u.y);
      return vec3(ring * cos(u.x), ring * sin(u.x), ${TUBE} * sin(u.y));
    }
    vec3 between(vec2 a, vec2 b, float t) {
      vec2 way = b - a;
      return place(a + t * (way - 2.0 * floor(way / 2.0 + 0.5)));
    }
    vec4 look(vec3 p) {
      vec3 q = camera * p;
      return vec4(q.xy * scale, -q.z, 1.0);
    }
    float lightness(vec2 s) {
      vec2 u = s * PI;
      vec3 normal = camera * vec3(cos(u.y) * cos(u.x), cos(u.y) * sin(u.x), sin(u.y));
      return mix(0.72, 1.0, smoothstep(0.0, 0.7, normal.z));
    }`;

  constructor() {
    this.reset();
  }

  uniforms(): Record<string, number[]> {
    return { camera: this.camera.matrix(), scale: [this.camera.scale] };
  }

  /** By marching along the ray, each step as long as the distance to the torus. */
  under(x: number, y: number): Place | null {
    let z = 1.2;
    for (let step = 0; step < 200 && z > -1.2; ++step) {
      const p = this.camera.fromView(x, y, z);
      const ring = Math.hypot(p[0], p[1]);
      const distance = Math.hypot(ring - RING, p[2]) - TUBE;
      if (distance < 1e-5) return [Math.atan2(p[1], p[0]) / Math.PI, Math.atan2(p[2], ring - RING) / Math.PI];
      z -= distance;
    }
    return null;
  }

  seen(place: Place): [number, number] | null {
    const u = place[0] * Math.PI, v = place[1] * Math.PI, ring = RING + TUBE * Math.cos(v);
    const [x, y] = this.camera.toView([ring * Math.cos(u), ring * Math.sin(u), TUBE * Math.sin(v)]);
    const first = this.under(x, y);
    const apart = (a: number, b: number) => Math.abs(Math.sin(((a - b) * Math.PI) / 2));
    return first && apart(first[0], place[0]) + apart(first[1], place[1]) < 0.05 ? [x, y] : null;
  }

  centre(): Place {
    return this.under(0, 0) ?? [-0.5, 0];
  }

  drag(dx: number, dy: number): void {
    this.camera.turn(dx, dy);
  }

  zoom(factor: number): void {
    this.camera.scale = clamp(this.camera.scale * factor, 1, 10);
  }

  lookAt(place: Place): void {
    this.camera.yaw = place[0] * Math.PI;
    this.camera.tilt = clamp(place[1] * Math.PI, -1.2, 1.2);
  }

  reset(): void {
    this.camera.yaw = HOME.yaw;
    this.camera.tilt = HOME.tilt;
    this.camera.scale = 1;
  }
}
