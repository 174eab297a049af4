import { effect } from '@preact/signals';
import { position } from '../world/position.ts';
import type { Settings } from '../world/settings.ts';
import type { Store } from '../world/store.ts';
import { cueOf, pan, placeOf, unplayed, type Cue } from './cue.ts';
import { Synth } from './synth.ts';

// The minimum time between two key sounds, in ms; with less, they would rattle instead of sounding
// like typing.
const keyEvery = 90;

/** Plays cues; wake() enables sound after a user action. Tests pass a recorder. */
export interface CuePlayer {
  play(cue: Cue, pan: number): void;
  wake(): void;
  close(): void;
}

/** Plays the office's sounds while they are switched on. Returns a function that stops them. */
export function startSound(store: Store, settings: Settings, make: () => CuePlayer = () => new Synth(new AudioContext())): () => void {
  return effect(() => {
    if (!settings.sound.value) return undefined;
    const player = make();
    player.wake();
    const wake = () => player.wake();
    const gestures = ['pointerdown', 'keydown'] as const;
    for (const name of gestures) window.addEventListener(name, wake, { passive: true });
    const ends = [playTimeline(store, player), playTyping(store, player)];
    return () => {
      for (const name of gestures) window.removeEventListener(name, wake);
      for (const end of ends) end();
      player.close();
    };
  });
}

function playTimeline(store: Store, player: CuePlayer): () => void {
  let last = store.feed.peek().at(-1)?.seq ?? 0;
  return effect(() => {
    const feed = store.feed.value;
    // Play each cue only once if many things happen together.
    const played = new Set<Cue>();
    for (const row of unplayed(feed, last)) {
      const cue = cueOf(row);
      if (!cue || played.has(cue)) continue;
      played.add(cue);
      const x = placeOf(row, store.agents.peek(), store.places.peek(), store.now());
      player.play(cue, pan(x, store.scene.peek()?.room.w ?? 0));
    }
    last = feed.at(-1)?.seq ?? 0;
  });
}

function playTyping(store: Store, player: CuePlayer): () => void {
  let before = store.streams.peek();
  let next = 0;
  return effect(() => {
    const streams = store.streams.value;
    const now = store.now();
    for (const [agentId, stream] of streams) {
      const typed = before.get(agentId) !== stream && !stream.done && stream.kind !== 'thought';
      if (!typed || now < next) continue;
      next = now + keyEvery;
      const agent = store.agents.peek().find((a) => a.agent_id === agentId);
      player.play('key', pan(agent ? position(agent, now).pos[0] : 0, store.scene.peek()?.room.w ?? 0));
    }
    before = streams;
  });
}
