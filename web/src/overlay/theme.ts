import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { Office } from './office.ts';

// The hours at which the room's light is half way between day and night.
const DAWN_HOUR = 6.75;
const DUSK_HOUR = 19;

/** Whether the person's clock or choice says night. */
export function isNight(theme: string, now: number): boolean {
  if (theme !== 'auto') return theme === 'night';
  const date = new Date(now);
  const hour = date.getHours() + date.getMinutes() / 60;
  return hour < DAWN_HOUR || hour >= DUSK_HOUR;
}

/** Dresses the overlay for the hour and for the wanted amount of motion. Returns how to stop. */
export function dress(root: HTMLElement, { settings, shell }: Office): () => void {
  const night: ReadonlySignal<boolean> = computed(() => isNight(settings.theme.value, shell.clock.value));
  const stop = effect(() => {
    root.dataset['theme'] = night.value ? 'night' : 'day';
    root.dataset['motion'] = settings.motion.value;
    // The room behind lies under the text view and must leave the tab order with it.
    document.documentElement.dataset['view'] = shell.asText.value ? 'text' : 'room';
  });
  return () => {
    stop();
    delete document.documentElement.dataset['view'];
  };
}

/** Keeps the seconds of the shell, and knows a phone. Rests while the page is hidden. Returns how to stop. */
export function keepTime({ shell }: Office): () => void {
  const tick = () => {
    if (!document.hidden) shell.clock.value = Date.now();
  };
  const timer = setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
  const narrow = matchMedia('(max-width: 640px)');
  const measure = () => {
    shell.phone.value = narrow.matches;
  };
  measure();
  narrow.addEventListener('change', measure);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
    narrow.removeEventListener('change', measure);
  };
}
