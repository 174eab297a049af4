import * as say from '../../contracts/words.gen.ts';

/** Formats how long ago something happened. */
export function agoWords(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 10) return say.now;
  if (s < 60) return say.secondsAgo(Math.floor(s / 10) * 10);
  const min = Math.floor(s / 60);
  if (min < 60) return say.minutesAgo(min);
  const hours = Math.floor(min / 60);
  if (hours < 24) return say.hoursAgo(hours);
  const days = Math.floor(hours / 24);
  return days === 1 ? say.yesterday : say.daysAgo(days);
}

/** Formats how long something has lasted; empty for less than 10 s. */
export function forWords(ms: number): string {
  const s = Math.floor(ms / 1000);
  if (s < 10) return '';
  if (s < 60) return say.forSeconds(Math.floor(s / 10) * 10);
  if (s < 3600) return say.forMinutes(Math.floor(s / 60));
  return s < 86_400 ? say.forHours(Math.floor(s / 3600)) : say.forDays(Math.floor(s / 86_400));
}

/** Formats a duration in at most two units, such as 3 h 12 min. */
export function tookWords(ms: number): string {
  const s = Math.max(1, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return s % 60 === 0 || min >= 10 ? `${min} min` : `${min} min ${s % 60} s`;
  const hours = Math.floor(min / 60);
  if (hours < 24) return min % 60 === 0 ? `${hours} h` : `${hours} h ${min % 60} min`;
  const days = Math.floor(hours / 24);
  return `${days} ${days === 1 ? 'day' : 'days'}${hours % 24 === 0 ? '' : ` ${hours % 24} h`}`;
}

export function bytesWords(bytes: number): string {
  if (bytes < 1024) return say.bytes(bytes);
  if (bytes < 1024 * 1024) return say.kilobytes((bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0));
  return say.megabytes((bytes / 1024 / 1024).toFixed(1));
}
