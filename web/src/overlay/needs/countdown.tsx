import { Timer } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';
import * as say from '../../contracts/words.gen.ts';

/** The countdown is highlighted when less time than this is left. */
const SHORT_MS = 60_000;

/** Shows how much longer an agent will wait for an answer. Screen readers do not announce each tick. */
export function Countdown({ until }: { until: number }) {
  const { store, shell } = useOffice();
  void shell.clock.value; // re-renders every second
  const left = Math.max(0, Math.ceil((until - store.now()) / 1000));
  return (
    <span class={left * 1000 < SHORT_MS ? 'countdown short' : 'countdown'} role="timer" title={`Waiting until ${new Date(until).toLocaleTimeString()}`}>
      <Icon of={Timer} size={13} />
      {leftWords(left)}
    </span>
  );
}

export function leftWords(seconds: number): string {
  if (seconds <= 0) return say.timeIsUp;
  if (seconds >= 3600) return say.hoursLeft(Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60);
  return say.minutesLeft(Math.floor(seconds / 60), String(seconds % 60).padStart(2, '0'));
}
