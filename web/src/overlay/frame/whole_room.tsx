import { Expand } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';

/**
 * The button that shows the whole room again; it appears while the camera is close to something. On a campus, the
 * zoom level buttons are shown instead.
 */
export function WholeRoom() {
  const { focus, store } = useOffice();
  if (!focus.near.value || store.campus.value.length > 1) return null;
  const back = () => {
    focus.follow.value = null;
    focus.lookAt.value = 'room';
  };
  return (
    <button type="button" class="card button whole-room" title="Whole room (0)" onClick={back}>
      <Icon of={Expand} />
      Whole room
    </button>
  );
}
