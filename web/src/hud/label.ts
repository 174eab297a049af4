import type { Hud } from '../contracts/protocol.gen.ts';
import * as say from '../contracts/words.gen.ts';

/**
 * Returns an activity's label: the sender's label, or one made from the event, the tool, its arguments and its
 * result.
 */
export function label(hud: Hud): string {
  if (hud.label) return hud.label;
  if (hud.tool) return toolLabel(hud.tool, hud.args ?? {}, hud.result ?? {});
  switch (hud.event) {
    case 'think_start':
    case 'think_end':
      return say.thinking;
    case 'turn_start':
    case 'turn_end':
      return say.turn;
    case 'received':
      return hud.subtype ? hud.subtype.replaceAll('_', ' ') : say.received;
  }
  return hud.event.replaceAll('_', ' ');
}

function toolLabel(tool: string, args: Record<string, unknown>, result: Record<string, unknown>): string {
  const path = text(args.path);
  if (path && tool === 'write') return say.overwrite(`${say.toolSigns.write} ${path}`);
  if (path && say.toolSigns[tool]) return `${say.toolSigns[tool]} ${path}${lines(args, result)}`;
  const said = text(args.command) || text(args.url) || text(args.query);
  if (said && say.toolSigns[tool]) return `${say.toolSigns[tool]} ${said}`;
  const action = text(args.action);
  return action ? `${tool} ${action}` : tool;
}

function lines(args: Record<string, unknown>, result: Record<string, unknown>): string {
  const area = result.area as { startLine?: unknown; endLine?: unknown } | undefined;
  const first = Number(area?.startLine ?? args.offset ?? 0);
  const last = Number(area?.endLine ?? first + Number(args.limit ?? 0));
  return first > 0 ? `:L${first}–L${last}` : '';
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Formats a duration for a badge: 210 ms, 4.5 s, 2 m 05 s. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${pad(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${pad(Math.floor(seconds / 60) % 60)} m`;
}

const pad = (n: number): string => String(n).padStart(2, '0');
