import { CloudOff, Eye, ShieldAlert } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Shows why commands are disabled. Shows nothing while the page is connecting. */
export function Banner() {
  const { shell, link } = useOffice();
  const why = shell.frozen.value;
  if (why === null || link.value.phase === 'connecting') return null;
  const icon = { refused: ShieldAlert, live: Eye, stale: CloudOff, offline: CloudOff }[link.value.phase];
  return (
    <aside class={`card banner banner-${link.value.phase}`} aria-label="Connection">
      <Icon of={icon} />
      <Words>{why}</Words>
      {link.value.phase === 'refused' && (
        <button type="button" class="button small" onClick={() => location.reload()}>
          Reload
        </button>
      )}
    </aside>
  );
}
