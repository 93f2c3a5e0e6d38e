// Play, pause and scrub through the flow. Nothing moves unless it is asked to.

import { byId } from './dom';
import type { Scene } from './payload';
import type { Store } from './state';

const SECONDS = 6;

export function startPlayer(scene: Scene, store: Store): void {
  if (scene.samples.frames < 2) return;
  const root = byId('player'), button = byId<HTMLButtonElement>('play'), slider = byId<HTMLInputElement>('time');
  const text = byId<HTMLOutputElement>('time-text'), word = button.querySelector('.word')!;
  root.hidden = false;
  const withSamples = () => ({ ...store.state.visible, samples: true });
  let last = 0;
  const step = (now: number) => {
    if (!store.state.playing) return;
    // The first frame may have begun before the click.
    const time = Math.min(1, store.state.time + Math.max(0, now - last) / 1000 / SECONDS);
    last = now;
    store.set({ time, playing: time < 1 });
    if (time < 1) requestAnimationFrame(step);
  };
  const toggle = () => {
    if (store.state.playing) {
      store.set({ playing: false });
      return;
    }
    store.set({ playing: true, time: store.state.time >= 1 ? 0 : store.state.time, visible: withSamples() });
    last = performance.now();
    requestAnimationFrame(step);
  };
  button.addEventListener('click', toggle);
  slider.addEventListener('input', () =>
    store.set({ time: Number(slider.value), playing: false, visible: withSamples() }));
  store.listen(() => {
    const { time, playing } = store.state;
    slider.value = String(time);
    slider.setAttribute('aria-valuetext', `time ${time.toFixed(2)} of 1`);
    text.textContent = `t = ${time.toFixed(2)}`;
    word.textContent = playing ? 'Pause' : 'Play the flow';
    button.classList.toggle('playing', playing);
  });
  store.changed();
}
