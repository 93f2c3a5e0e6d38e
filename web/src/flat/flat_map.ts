// The flat picture on a plain canvas: it needs no WebGL. What does not move is drawn once for each size and choice.

import type { Density } from '../density';
import type { Scene, Sheet } from '../payload';
import { dotSize, sampleAt } from '../samples';
import type { Place, State } from '../state';
import { Projection, projectionFor } from './projection';

const UNIT = 32767;

export class FlatMap {
  private projection: Projection | null = null;
  private ground: HTMLCanvasElement | null = null;
  private still: { key: string; canvas: HTMLCanvasElement } | null = null;

  constructor(
    readonly canvas: HTMLCanvasElement, private readonly scene: Scene, private readonly density: Density,
  ) {}

  get name(): string {
    return projectionFor(this.scene, 400).name;
  }

  /** From CSS pixels of the canvas. */
  under(x: number, y: number): Place | null {
    return this.projection?.toSheet(x, y) ?? null;
  }

  draw(state: State): void {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.fit(ratio);
    const context = this.canvas.getContext('2d')!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.stillPart(state, ratio), 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (state.visible.samples) this.drawSamples(context, state.time);
    if (state.cursor) this.drawCursor(context, state.cursor);
  }

  private fit(ratio: number): void {
    const width = Math.max(1, this.canvas.clientWidth);
    if (this.projection?.width === width && this.canvas.width === Math.round(width * ratio)) return;
    this.projection = projectionFor(this.scene, width);
    this.ground = this.still = null;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.projection.height * ratio);
    this.canvas.style.aspectRatio = `${width} / ${this.projection.height}`;
  }

  private blank(): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    canvas.width = this.canvas.width;
    canvas.height = this.canvas.height;
    return canvas;
  }

  /** The density, pixel by pixel. */
  private groundOf(ratio: number): HTMLCanvasElement {
    if (this.ground) return this.ground;
    const ground = this.blank(), context = ground.getContext('2d')!;
    const image = context.createImageData(ground.width, ground.height);
    const grey = [1, 3, 5].map((i) => parseInt(this.scene.nothing.slice(i, i + 2), 16));
    for (let row = 0; row < ground.height; ++row)
      for (let column = 0; column < ground.width; ++column) {
        const place = this.projection!.toSheet((column + 0.5) / ratio, (row + 0.5) / ratio);
        if (!place) continue;
        const value = this.density.at(...place);
        const colour = Number.isNaN(value) ? -1 : Math.round(255 * this.density.share(value));
        const at = 4 * (row * ground.width + column);
        for (let k = 0; k < 3; ++k) image.data[at + k] = colour < 0 ? grey[k] : this.scene.heat[3 * colour + k];
        image.data[at + 3] = 255;
      }
    context.putImageData(image, 0, 0);
    return (this.ground = ground);
  }

  private stillPart(state: State, ratio: number): HTMLCanvasElement {
    const style = getComputedStyle(this.canvas), ink = style.color;
    const key = JSON.stringify([state.visible, ink, this.canvas.width]);
    if (this.still?.key === key) return this.still.canvas;
    const canvas = this.blank(), context = canvas.getContext('2d')!;
    const projection = this.projection!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (state.visible.density) {
      context.drawImage(this.groundOf(ratio), 0, 0, canvas.width / ratio, canvas.height / ratio);
    } else {
      context.fillStyle = this.scene.nothing;
      context.beginPath();
      projection.outline(context);
      context.fill();
    }
    const onMap = this.scene.kind === 'torus' || this.scene.kind === 'plane' ? ink : '#22242b';
    if (state.visible.lines) projection.drawLines(context, onMap);
    for (const layer of this.scene.layers)
      if (state.visible[layer.id])
        this.drawDots(context, layer.colour, layer.count, (i) => this.place(layer.points, i));
    context.strokeStyle = ink;
    context.globalAlpha = 0.7;
    context.lineWidth = 1;
    context.beginPath();
    projection.outline(context);
    context.stroke();
    this.still = { key, canvas };
    return canvas;
  }

  private place(points: Sheet, i: number): Place {
    return [points[2 * i] / UNIT, points[2 * i + 1] / UNIT];
  }

  private drawDots(
    context: CanvasRenderingContext2D, colour: string, count: number, place: (i: number) => Place,
  ): void {
    context.fillStyle = 'rgba(255, 255, 255, 0.85)';
    // On the plane, what is outside lies on the edge of the sheet.
    const outside = ([across, up]: Place) =>
      this.scene.kind === 'plane' && Math.max(Math.abs(across), Math.abs(up)) > 0.9999;
    const at: [number, number][] = [];
    for (let i = 0; i < count; ++i) if (!outside(place(i))) at.push(this.projection!.toCanvas(place(i)));
    const disks = (radius: number) => {
      context.beginPath();
      for (const [x, y] of at) {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, 2 * Math.PI);
      }
      context.fill();
    };
    const radius = 0.42 * dotSize(count);
    disks(radius);
    context.fillStyle = colour;
    disks(0.72 * radius);
  }

  private drawSamples(context: CanvasRenderingContext2D, time: number): void {
    const { colour, count } = this.scene.samples;
    this.drawDots(context, colour, count, (i) => sampleAt(this.scene, i, time));
  }

  private drawCursor(context: CanvasRenderingContext2D, cursor: Place): void {
    const [x, y] = this.projection!.toCanvas(cursor);
    for (const [colour, width] of [['#ffffff', 3.5], ['#22242b', 1.5]] as const) {
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.beginPath();
      context.arc(x, y, 6, 0, 2 * Math.PI);
      context.stroke();
    }
  }
}
