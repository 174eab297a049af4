import { LINE_COMPACTING } from '../contracts/limits.gen.ts';
import { tokens } from '../hud/usage.ts';
import type { DeskFacts } from './desk_facts.ts';
import * as say from '../contracts/words.gen.ts';

/** Describes what the props on an agent's desk mean, most urgent first; all views use these words. */
export function deskWords({ todos, failed, context, contextFill, compacting }: DeskFacts): string[] {
  const active = todos?.find((t) => t.active)?.text;
  return [
    ...(compacting ? [LINE_COMPACTING] : []),
    ...(failed === undefined ? [] : [`Last call failed: ${failed}`]),
    ...(todos ? [`To-do: ${todos.filter((t) => t.done).length} of ${todos.length} done${active === undefined ? '' : `, now: ${active}`}`] : []),
    ...(context === undefined ? [] : [`Conversation: ${say.tokens(tokens(context))}${contextFill ? `, ~${Math.round(contextFill * 100)}% of its limit` : ''}`]),
  ];
}
