import type { AccessRole } from '../contracts/protocol.gen.ts';
import type { LinkView } from './deps.ts';

/** Why no command can be given now, in words; null when one can. */
export function freezeReason(link: LinkView, access: AccessRole): string | null {
  switch (link.phase) {
    case 'connecting':
      return 'Still connecting to the office.';
    case 'stale':
      return 'Not connected. You see the last known state; commands wait until the office is back.';
    case 'offline':
      return 'The office cannot be reached.';
    case 'refused':
      return link.reason ?? 'The office does not accept this page.';
    case 'live':
      return access === 'operator' ? null : 'You may look around, but this link cannot give commands.';
  }
}
