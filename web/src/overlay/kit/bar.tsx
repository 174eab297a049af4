/** Shows a progress bar; percent is rounded, and limited to the range from 0 to 100. Screen readers read the number. */
export function Bar({ percent, label }: { percent: number; label: string }) {
  const value = Math.max(0, Math.min(100, Math.round(percent)));
  return (
    <progress class="bar" max={100} value={value} aria-label={`${label}: ${value}%`}>
      {value}%
    </progress>
  );
}
