// What the tool put into the page. `src/riemflow/report/page.cpp` writes it.

export type Kind = 'globe' | 'torus' | 'disk' | 'plane';

/** [point][across, up], 1 as 32767. */
export type Sheet = Int16Array;

export interface Unit {
  name: string;
  log_size: number;
}

export interface Layer {
  id: string;
  label: string;
  colour: string;
  count: number;
  /** Points that there are, of which `count` are drawn. */
  of: number;
  points: Sheet;
}

export interface Scene {
  kind: Kind;
  half: number;
  curvature: number;
  axes: [string, string];
  density: {
    rows: number;
    columns: number;
    low: number;
    high: number;
    /** Of the lightest colour. */
    shown_low: number;
    precision: number;
    units: Unit[];
    codes: Uint8Array;
  };
  heat: Uint8Array;
  nothing: string;
  layers: Layer[];
  samples: { colour: string; count: number; frames: number; points: Sheet };
  land?: { rings: number[]; points: Sheet };
}

export interface Curves {
  x: 'iteration' | 'seconds';
  stages: Stage[];
}

/** A stretch of a training; `end` is its last x. */
export interface Stage {
  name: string;
  matching: boolean;
  end: number;
  at: number[];
  loss: (number | null)[];
  evaluations: (number | null)[];
  validated_at: number[];
  validation: number[];
}

export interface Payload {
  scene?: Scene;
  curves?: Curves;
}

function bytes(base64: string): Uint8Array {
  const text = atob(base64);
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) result[i] = text.charCodeAt(i);
  return result;
}

function sheet(base64: string): Sheet {
  const raw = bytes(base64);
  const view = new DataView(raw.buffer);
  const result = new Int16Array(raw.length / 2);
  for (let i = 0; i < result.length; ++i) result[i] = view.getInt16(2 * i, true);
  return result;
}

export function readPayload(text: string): Payload {
  const payload = JSON.parse(text);
  const scene = payload.scene;
  if (scene) {
    scene.density.codes = bytes(scene.density.codes);
    scene.heat = bytes(scene.heat);
    scene.samples.points = sheet(scene.samples.points);
    for (const layer of scene.layers) layer.points = sheet(layer.points);
    if (scene.land) scene.land.points = sheet(scene.land.points);
  }
  return payload;
}
