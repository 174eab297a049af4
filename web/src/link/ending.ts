import { closeCodes } from '../contracts/codes.gen.ts';
import type { ErrorPayload } from '../contracts/protocol.gen.ts';

// Only these are final (W18): the same attempt would end the same way.
const final: Readonly<Record<number, string>> = {
  [closeCodes.version.code]: 'This page and the office speak different versions. Reload the page to get the one that fits.',
  [closeCodes.revoked.code]: 'The key for this office was withdrawn. Ask for a new link and open it here.',
  [closeCodes.violations.code]: 'The office closed the door because this page sent too much it could not read. Reload the page.',
};

const passing: Readonly<Record<number, string>> = {
  [closeCodes.goingAway.code]: 'The office is restarting.',
  [closeCodes.overloaded.code]: 'The office is busy.',
  [closeCodes.heartbeat.code]: 'The line went quiet.',
  [closeCodes.slowConsumer.code]: 'This page fell behind.',
  [closeCodes.replaced.code]: 'Another connection took over.',
  [closeCodes.insufficientState.code]: 'The office could not send what was missed.',
};

/** Why a connection ended, in words, and whether to come back. */
export interface Ending {
  final: boolean;
  reason: string;
}

export function ending(code: number, refusal?: ErrorPayload): Ending {
  if (refusal?.code === 'PROTOCOL_VERSION_UNSUPPORTED') return { final: true, reason: versionWords(refusal) };
  const last = final[code];
  if (last !== undefined) return { final: true, reason: last };
  return { final: false, reason: passing[code] ?? 'The connection to the office was lost.' };
}

function versionWords(refusal: ErrorPayload): string {
  const spoken = refusal.supported_versions?.join(', ');
  const theirs = spoken ? `the office speaks ${spoken}` : 'the office speaks another';
  return `This page speaks version 1 of the protocol, ${theirs}. Reload the page to get the one that fits.`;
}

/** How long to wait before the next attempt: 1, 2, 4, then 8 s, and up to half a second so that not everybody comes at once. */
export function backoff(attempt: number, random: number): number {
  return 1000 * 2 ** Math.min(Math.max(attempt, 1) - 1, 3) + Math.floor(500 * random);
}
