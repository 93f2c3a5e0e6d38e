// The density as numbers and as colours. Sheet coordinates (across, up) are in [−1, 1]².

import type { Scene } from './payload';

export class Density {
  readonly low: number;
  readonly high: number;
  /** Log-density of the lightest colour. */
  readonly shownLow: number;

  constructor(private readonly scene: Scene) {
    this.low = scene.density.low;
    this.high = scene.density.high;
    this.shownLow = scene.density.shown_low;
  }

  /** Across the seam where there is one. */
  private code(row: number, column: number): number {
    const { rows, columns, codes } = this.scene.density;
    const wraps = this.scene.kind === 'globe' || this.scene.kind === 'torus';
    const c = wraps ? (column + columns) % columns : Math.min(Math.max(column, 0), columns - 1);
    const r = this.scene.kind === 'torus' ? (row + rows) % rows : Math.min(Math.max(row, 0), rows - 1);
    return codes[r * columns + c];
  }

  /** Log-density, linear between the centres of cells; NaN where there is none. `low` means: at most that. */
  at(across: number, up: number): number {
    const { rows, columns } = this.scene.density;
    const x = ((across + 1) / 2) * columns - 0.5, y = ((up + 1) / 2) * rows - 0.5;
    const c = Math.floor(x), r = Math.floor(y), s = x - c, t = y - r;
    const corners = [this.code(r, c), this.code(r, c + 1), this.code(r + 1, c), this.code(r + 1, c + 1)];
    if (corners.some((code) => code === 0)) return NaN;
    const code =
      (1 - t) * ((1 - s) * corners[0] + s * corners[1]) + t * ((1 - s) * corners[2] + s * corners[3]);
    return this.low + ((code - 1) / 254) * (this.high - this.low);
  }

  /** Of a log-density, in [0, 1]. */
  share(logDensity: number): number {
    return Math.min(1, Math.max(0, (logDensity - this.shownLow) / (this.high - this.shownLow)));
  }

  /** "0.034 per sr · 8.4 × 10⁻¹⁰ per km²" */
  text(logDensity: number): string {
    if (Number.isNaN(logDensity)) return 'no density';
    const least = logDensity <= this.low + 1e-9 ? '≤ ' : '';
    return this.scene.density.units
      .map((unit) => `${least}${shortNumber(Math.exp(logDensity + unit.log_size))} per ${unit.name}`)
      .join(' · ');
  }
}

const SUPERSCRIPTS: Record<string, string> = {
  '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹',
};

export function powerOfTen(exponent: number): string {
  return '10' + String(exponent).replace(/./g, (digit) => SUPERSCRIPTS[digit]);
}

/** Two digits: the codes hold no more. */
export function shortNumber(value: number): string {
  if (value >= 0.01 && value < 1000) return String(Number(value.toPrecision(2)));
  const exponent = Math.floor(Math.log10(value) + 1e-12);
  return `${(value / 10 ** exponent).toPrecision(2)} × ${powerOfTen(exponent)}`;
}
