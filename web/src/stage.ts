// The picture that can be turned: the density on a surface, lines, points and the samples on their way, by WebGL2.

import type { Density } from './density';
import { GL, Program, arrayBuffer, texture } from './gl';
import { boundarySegments, graticuleSegments } from './lines';
import type { Scene } from './payload';
import { dotSize, framesAt } from './samples';
import type { State } from './state';
import type { Surface } from './surfaces/surface';

const MESH: [number, number] = [180, 90];
const SEGMENT_BYTES = 8;
/** Depths are drawn within this, so that what is lifted off the surface is not beyond the near plane at −1. */
const DEPTH = 0.9;

const rgb = (hex: string): number[] => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255);

/** share and shown turn a code (in [0, 1]) into a place of the colour table. */
const COLOUR = `
  uniform sampler2D codes, heat;
  uniform vec2 range;
  uniform vec3 nothing;
  uniform float shown;
  vec3 colour(vec2 sheet, float light) {
    vec2 at = (sheet + 1.0) / 2.0;
    if (shown < 0.5) return nothing * light;
    ivec2 size = textureSize(codes, 0);
    ivec2 cell = clamp(ivec2(at * vec2(size)), ivec2(0), size - 1);
    if (texelFetch(codes, cell, 0).r == 0.0) return nothing * light;
    float share = clamp((texture(codes, at).r * 255.0 - range.x) / (range.y - range.x), 0.0, 1.0);
    return texture(heat, vec2((share * 255.0 + 0.5) / 256.0, 0.5)).rgb * light;
  }`;

export class Stage {
  private readonly gl: GL;
  private readonly ground: Program;
  private readonly line: Program;
  private readonly dot: Program;
  private readonly coasts: WebGLBuffer;
  private readonly graticule: WebGLBuffer;
  private readonly segments: { coasts: number; graticule: number };
  private readonly points = new Map<string, WebGLBuffer>();

  constructor(
    readonly canvas: HTMLCanvasElement, private readonly scene: Scene, private readonly density: Density,
    private readonly surface: Surface,
  ) {
    const gl = canvas.getContext('webgl2', { antialias: true, alpha: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error('no WebGL2');
    this.gl = gl;
    const { rows, columns, codes } = scene.density;
    const around: [boolean, boolean] = [scene.kind === 'globe' || scene.kind === 'torus', scene.kind === 'torus'];
    texture(gl, 0, columns, rows, codes, 1, around);
    texture(gl, 1, 256, 1, scene.heat, 3, [false, false]);
    this.ground = surface.mesh ? this.meshGround() : this.rayGround();
    // A segment is a strip of two triangles, `width` pixels wide; what is behind the horizon is cut pixel by pixel.
    this.line = new Program(gl, `
      in vec2 a, b;
      uniform vec2 pixels;
      uniform float width;
      out float seen;
      ${surface.glsl}
      void main() {
        vec4 p = look(between(a, a, 0.0)), q = look(between(b, b, 0.0));
        vec2 way = (q.xy - p.xy) * pixels;
        vec2 across = length(way) > 1e-6 ? normalize(vec2(-way.y, way.x)) : vec2(0.0);
        vec4 end = gl_VertexID < 2 ? p : q;
        float side = float(gl_VertexID % 2) * 2.0 - 1.0;
        seen = end.w;
        gl_Position = vec4(end.xy + side * width * across / pixels, ${DEPTH} * end.z - 0.01, 1.0);
      }`, `
      in float seen;
      uniform vec4 ink;
      out vec4 pixel;
      void main() {
        if (seen <= 0.0) discard;
        pixel = vec4(ink.rgb * ink.a, ink.a);
      }`);
    this.dot = new Program(gl, `
      in vec2 a, b;
      uniform float t, size;
      out float seen;
      ${surface.glsl}
      void main() {
        vec4 p = look(between(a, b, t));
        seen = p.w;
        gl_Position = p.w > 0.0 ? vec4(p.xy, ${DEPTH} * p.z - 0.015, 1.0) : vec4(2.0, 2.0, 0.0, 1.0);
        gl_PointSize = size;
      }`, `
      in float seen;
      uniform vec3 ink;
      uniform float size;
      out vec4 pixel;
      void main() {
        float r = length(gl_PointCoord - 0.5) * size;
        float alpha = (1.0 - smoothstep(size / 2.0 - 1.0, size / 2.0, r)) * smoothstep(0.0, 0.12, seen);
        float rim = smoothstep(0.6, 0.95, r / (size / 2.0 - 0.5));
        pixel = vec4(mix(ink, vec3(1.0), 0.85 * rim), 1.0) * alpha * 0.92;
      }`);
    const coasts = boundarySegments(scene), graticule = graticuleSegments(scene);
    this.coasts = arrayBuffer(gl, coasts);
    this.graticule = arrayBuffer(gl, graticule);
    this.segments = { coasts: coasts.length / 4, graticule: graticule.length / 4 };
    for (const layer of scene.layers) this.points.set(layer.id, arrayBuffer(gl, layer.points));
    this.points.set('samples', arrayBuffer(gl, scene.samples.points));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  private rayGround(): Program {
    return new Program(this.gl, `
      uniform vec2 pixels;
      out vec2 view;
      void main() {
        view = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
        gl_Position = vec4(view, 0.0, 1.0);
      }`, `
      in vec2 view;
      uniform vec2 pixels;
      out vec4 pixel;
      ${this.surface.glsl}
      ${COLOUR}
      void main() {
        // Four rays a pixel: a smooth rim.
        vec4 sum = vec4(0.0);
        for (int i = 0; i < 4; ++i) {
          vec2 sheet = vec2(0.0);
          float light = 1.0;
          vec2 off = (vec2(i % 2, i / 2) - 0.5) * 0.5;
          if (under(view + 2.0 * off / (2.0 * pixels), sheet, light)) sum += vec4(colour(sheet, light), 1.0);
        }
        if (sum.a == 0.0) discard;
        pixel = sum / 4.0;
      }`);
  }

  private meshGround(): Program {
    return new Program(this.gl, `
      out vec2 sheet;
      ${this.surface.glsl}
      void main() {
        int corner = gl_VertexID % 6, cell = gl_VertexID / 6;
        int column = cell % ${MESH[0]} + (corner == 1 || corner == 2 || corner == 4 ? 1 : 0);
        int row = cell / ${MESH[0]} + (corner == 2 || corner == 4 || corner == 5 ? 1 : 0);
        sheet = vec2(column, row) / vec2(${MESH[0]}, ${MESH[1]}) * 2.0 - 1.0;
        vec4 p = look(between(sheet, sheet, 0.0));
        gl_Position = vec4(p.xy, ${DEPTH} * p.z, 1.0);
      }`, `
      in vec2 sheet;
      out vec4 pixel;
      ${this.surface.glsl}
      ${COLOUR}
      void main() { pixel = vec4(colour(sheet, lightness(sheet)), 1.0); }`);
  }

  /** As large as it is shown. */
  private fit(): number {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const side = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
    if (this.canvas.width !== side || this.canvas.height !== side) this.canvas.width = this.canvas.height = side;
    return ratio;
  }

  draw(state: State): void {
    const gl = this.gl, ratio = this.fit(), half = this.canvas.width / 2;
    const view = { ...this.surface.uniforms(), pixels: [half, half] };
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (let i = 0; i < 4; ++i) gl.disableVertexAttribArray(i);
    if (this.surface.mesh) gl.enable(gl.DEPTH_TEST);
    const code = (logDensity: number) =>
      1 + (254 * (logDensity - this.density.low)) / (this.density.high - this.density.low);
    this.ground.use({
      ...view,
      codes: 0,
      heat: 1,
      range: [code(this.density.shownLow), code(this.density.high)],
      nothing: rgb(this.scene.nothing),
      shown: [state.visible.density ? 1 : 0],
    });
    gl.drawArrays(gl.TRIANGLES, 0, this.surface.mesh ? MESH[0] * MESH[1] * 6 : 3);
    gl.depthMask(false);
    if (state.visible.lines) {
      this.drawLines(view, this.graticule, this.segments.graticule, [0.13, 0.14, 0.17, 0.16], 0.5 * ratio);
      this.drawLines(view, this.coasts, this.segments.coasts, [0.13, 0.14, 0.17, 0.75], 0.5 * ratio);
    }
    for (const layer of this.scene.layers)
      if (state.visible[layer.id]) {
        this.dot.use({ ...view, ink: rgb(layer.colour), size: [dotSize(layer.count) * ratio], t: [0] });
        this.drawDots(this.points.get(layer.id)!, 0, 0, layer.count);
      }
    if (state.visible.samples) this.drawSamples(view, state.time, ratio);
    gl.depthMask(true);
  }

  private drawLines(view: Record<string, number[]>, buffer: WebGLBuffer, n: number, ink: number[], width: number): void {
    if (n === 0) return;
    this.line.use({ ...view, ink, width: [width] });
    this.line.pairs('a', buffer, 0, SEGMENT_BYTES, 1);
    this.line.pairs('b', buffer, SEGMENT_BYTES / 2, SEGMENT_BYTES, 1);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, n);
  }

  private drawDots(buffer: WebGLBuffer, from: number, to: number, n: number): void {
    this.dot.pairs('a', buffer, from);
    this.dot.pairs('b', buffer, to);
    this.gl.drawArrays(this.gl.POINTS, 0, n);
  }

  private drawSamples(view: Record<string, number[]>, time: number, ratio: number): void {
    const { colour, count } = this.scene.samples, bytes = 4 * count;
    const { first, next, share } = framesAt(this.scene, time);
    this.dot.use({ ...view, ink: rgb(colour), size: [dotSize(count) * ratio], t: [share] });
    this.drawDots(this.points.get('samples')!, first * bytes, next * bytes, count);
  }
}
