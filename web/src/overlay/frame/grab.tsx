import { useRef } from 'preact/hooks';
import { useOffice } from '../office.ts';

/** How far a finger must move to count as a swipe, in CSS pixels. */
const SWIPE = 40;

/**
 * The handle of the phone's sheet: a swipe down or a tap makes the room fill the screen; a swipe up or another tap
 * shows the panel.
 */
export function Grab() {
  const { roomFullScreen } = useOffice().shell;
  const from = useRef<number | null>(null);
  const swiped = useRef(false);
  return (
    <button
      type="button"
      class="grab"
      aria-label="Full-screen room"
      aria-pressed={roomFullScreen.value}
      onPointerDown={(e) => {
        from.current = e.clientY;
        swiped.current = false;
        e.currentTarget.setPointerCapture(e.pointerId);
      }}
      onPointerMove={(e) => {
        if (from.current === null || Math.abs(e.clientY - from.current) < SWIPE) return;
        roomFullScreen.value = e.clientY > from.current;
        from.current = null;
        swiped.current = true;
      }}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
      onClick={() => {
        // The click at the end of a swipe is not a tap.
        if (!swiped.current) roomFullScreen.value = !roomFullScreen.value;
        swiped.current = false;
      }}
    />
  );
}
