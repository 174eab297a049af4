import { Timer } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';

/** The last minute is shown as such. */
const SHORT_MS = 60_000;

/** How long somebody waits for an answer. It is not read aloud each second. */
export function Countdown({ until }: { until: number }) {
  const { store, shell } = useOffice();
  void shell.clock.value; // Looks again each second.
  const left = Math.max(0, Math.ceil((until - store.now()) / 1000));
  return (
    <span class={left * 1000 < SHORT_MS ? 'countdown short' : 'countdown'} role="timer" title={`Waits until ${new Date(until).toLocaleTimeString()}`}>
      <Icon of={Timer} size={13} />
      {leftWords(left)}
    </span>
  );
}

export function leftWords(seconds: number): string {
  if (seconds <= 0) return 'Time is up';
  if (seconds >= 3600) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min left`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
}
