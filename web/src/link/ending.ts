import { closeCodes } from '../contracts/codes.gen.ts';
import type { ErrorPayload } from '../contracts/protocol.gen.ts';
import { PROTOCOL_VERSION } from '../contracts/limits.gen.ts';
import * as say from '../contracts/words.gen.ts';

// Only these close codes are final (W18), because a retry would end the same way.
const final: Readonly<Record<number, string>> = {
  [closeCodes.version.code]: 'This page and the office run different versions. Reload the page.',
  [closeCodes.revoked.code]: 'Your access to this office was revoked. Ask for a new link and open it here.',
  [closeCodes.violations.code]: 'The office closed the connection: too many invalid messages from this page. Reload the page.',
};

/** Why a connection ended, and whether to stop reconnecting. */
export interface Ending {
  final: boolean;
  reason: string;
}

export function ending(code: number, refusal?: ErrorPayload): Ending {
  if (refusal?.code === 'PROTOCOL_VERSION_UNSUPPORTED') return { final: true, reason: versionWords(refusal) };
  const last = final[code];
  if (last !== undefined) return { final: true, reason: last };
  return { final: false, reason: say.closings[code]?.('page') ?? say.connectionLost };
}

function versionWords(refusal: ErrorPayload): string {
  const spoken = refusal.supported_versions?.join(', ') || say.anotherOne;
  return `${say.otherVersion('page', PROTOCOL_VERSION, spoken)} Reload the page.`;
}

/**
 * Returns the delay in ms before an attempt: 1 s, 2 s, 4 s, then always 8 s, plus up to 0.5 s of jitter so that
 * clients do not all reconnect together.
 */
export function backoff(attempt: number, random: number): number {
  return 1000 * 2 ** Math.min(Math.max(attempt, 1) - 1, 3) + Math.floor(500 * random);
}
