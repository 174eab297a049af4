import { computed, effect, type ReadonlySignal } from '@preact/signals';
import type { Office } from './office.ts';

// The hours when the room's light is halfway between day and night.
const DAWN_HOUR = 6.75;
const DUSK_HOUR = 19;

/** Reports whether the page uses the night theme. If the theme is 'auto', local time decides. */
export function isNight(theme: string, now: number): boolean {
  if (theme !== 'auto') return theme === 'night';
  const date = new Date(now);
  const hour = date.getHours() + date.getMinutes() / 60;
  return hour < DAWN_HOUR || hour >= DUSK_HOUR;
}

/** Applies the theme and the motion setting to the page. Returns a function that stops the updates. */
export function applyTheme(root: HTMLElement, { settings, shell }: Office): () => void {
  const night: ReadonlySignal<boolean> = computed(() => isNight(settings.theme.value, shell.clock.value));
  const stop = effect(() => {
    root.dataset['theme'] = night.value ? 'night' : 'day';
    root.dataset['motion'] = settings.motion.value;
    // For the style sheet, which hides the room while the text view is shown.
    document.documentElement.dataset['view'] = shell.asText.value ? 'text' : 'room';
    document.documentElement.toggleAttribute('data-room-full-screen', shell.phone.value && shell.roomFullScreen.value);
  });
  return () => {
    stop();
    delete document.documentElement.dataset['view'];
    document.documentElement.removeAttribute('data-room-full-screen');
  };
}

/** Updates shell.clock and shell.phone; the clock pauses in a hidden tab. Returns a function that stops the updates. */
export function startClock({ shell }: Office): () => void {
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
