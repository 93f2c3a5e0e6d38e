// The sphere from far away: rays meet it at z = √(1 − x² − y²).

import type { Place } from '../state';
import { Surface, Turntable, clamp, wrap } from './surface';

const RADIUS = 0.97;

export class Globe implements Surface {
  readonly name = 'Globe';
  readonly help = 'Drag to turn it, pinch or + and − to zoom, arrow keys to turn it by hand, Home to reset.';
  readonly zooms = true;
  readonly mesh = false;
  private readonly camera = new Turntable();
  readonly glsl = `
    uniform mat3 camera;
    uniform float scale;
    const float PI = 3.14159265358979;
    vec3 place(vec2 s) {
      float phi = s.y * PI / 2.0, lambda = s.x * PI;
      return vec3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi));
    }
    vec3 between(vec2 a, vec2 b, float t) { return normalize(mix(place(a), place(b), t)); }
    vec4 look(vec3 p) {
      vec3 q = camera * p;
      return vec4(q.xy * scale, -q.z, q.z);
    }
    bool under(vec2 view, out vec2 sheet, out float light) {
      vec2 p = view / scale;
      float square = dot(p, p);
      if (square > 1.0) return false;
      vec3 q = vec3(p, sqrt(1.0 - square));
      vec3 w = q * camera;
      sheet = vec2(atan(w.y, w.x) / PI, asin(clamp(w.z, -1.0, 1.0)) * 2.0 / PI);
      light = mix(0.8, 1.0, smoothstep(0.0, 0.45, q.z));
      return true;
    }`;

  constructor(private readonly home: Place) {
    this.reset();
  }

  uniforms(): Record<string, number[]> {
    return { camera: this.camera.matrix(), scale: [this.camera.scale] };
  }

  under(x: number, y: number): Place | null {
    const s = this.camera.scale, square = (x * x + y * y) / (s * s);
    if (square > 1) return null;
    const w = this.camera.fromView(x, y, Math.sqrt(1 - square));
    return [Math.atan2(w[1], w[0]) / Math.PI, (Math.asin(clamp(w[2], -1, 1)) * 2) / Math.PI];
  }

  seen([across, up]: Place): [number, number] | null {
    const phi = (up * Math.PI) / 2, lambda = across * Math.PI;
    const q = this.camera.toView([Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)]);
    return q[2] > 0 ? [q[0], q[1]] : null;
  }

  centre(): Place {
    return [wrap(this.camera.yaw / Math.PI), (this.camera.tilt * 2) / Math.PI];
  }

  drag(dx: number, dy: number): void {
    this.camera.turn(dx, dy);
  }

  zoom(factor: number): void {
    this.camera.scale = clamp(this.camera.scale * factor, RADIUS, 12);
  }

  lookAt([across, up]: Place): void {
    this.camera.yaw = across * Math.PI;
    this.camera.tilt = (up * Math.PI) / 2;
  }

  reset(): void {
    this.lookAt(this.home);
    this.camera.scale = RADIUS;
  }
}
