// What is shown now. Views draw when it changes.

export type Place = [across: number, up: number];

export interface State {
  visible: Record<string, boolean>;
  /** Of the flow: 0 the base, 1 the data. */
  time: number;
  playing: boolean;
  /** Under the pointer, or where the keyboard put it. */
  cursor: Place | null;
}

export class Store {
  private readonly listeners: (() => void)[] = [];
  private pending = false;

  constructor(readonly state: State) {}

  set(change: Partial<State>): void {
    Object.assign(this.state, change);
    this.changed();
  }

  /** Listeners run once before the next frame. */
  changed(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      for (const listener of this.listeners) listener();
    });
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }
}
