import type { AccessRole } from '../contracts/protocol.gen.ts';
import type { LinkView } from './deps.ts';
import * as say from '../contracts/words.gen.ts';

/** Explains why commands cannot be sent now, or returns null if they can. */
export function freezeReason(link: LinkView, access: AccessRole): string | null {
  switch (link.phase) {
    case 'connecting':
      return say.stillConnecting;
    case 'stale':
      return say.lastKnownState;
    case 'offline':
      return say.unreachable;
    case 'refused':
      return link.reason ?? say.notAccepted('page');
    case 'live':
      return access === 'operator' ? null : say.viewOnly('link');
  }
}
