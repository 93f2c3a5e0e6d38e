// What is under the cursor, in words.

import type { Density } from './density';
import type { Scene } from './payload';
import type { Place } from './state';

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(1)}° ${value < 0 ? negative : positive}`;
}

export function placeText(scene: Scene, [across, up]: Place): string {
  if (scene.kind === 'globe') return `${degrees(up * 90, 'N', 'S')}, ${degrees(across * 180, 'E', 'W')}`;
  const number = (share: number) =>
    scene.kind === 'torus'
      ? `${(share * 180).toFixed(1).replace('-', '−')}°`
      : (share * scene.half).toFixed(3).replace('-', '−');
  return `${scene.axes[0]} ${number(across)}, ${scene.axes[1]} ${number(up)}`;
}

export function readoutText(scene: Scene, density: Density, place: Place): string {
  return `${placeText(scene, place)}: ${density.text(density.at(...place))}`;
}
