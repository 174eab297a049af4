import type { StreamDelta } from '../contracts/protocol.gen.ts';
import { plain } from './plain.ts';
import type { StreamView } from './rows.ts';

// How many UTF-16 units of a stream are kept; no view shows more.
const limitText = 4000;

/**
 * Returns the stream with a delta applied. If the delta is a duplicate or the late end of an older stream, returns
 * `view`.
 */
export function foldDelta(view: StreamView | undefined, d: StreamDelta, ts: number): StreamView | undefined {
  const going = view?.stream_id === d.stream_id ? view : undefined;
  if (going && d.seq <= going.seq && !d.catch_up) return view;
  // The end of an older stream may arrive after the start of the next.
  if (!going && view && d.done && !view.done) return view;
  const before = going && !d.catch_up ? going.text : '';
  return {
    stream_id: d.stream_id,
    kind: d.kind,
    text: tail(before + plain(d.delta)),
    done: d.done,
    at: ts,
    seq: d.seq,
    ...(d.task_id !== undefined && { task_id: d.task_id }),
    ...(d.rehearsal !== undefined && { rehearsal: d.rehearsal }),
  };
}

// Returns the last limitText units of text, but never starts with half of a surrogate pair.
function tail(text: string): string {
  if (text.length <= limitText) return text;
  const cut = text.slice(-limitText);
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut;
}
