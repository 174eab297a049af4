import type { Usage, UsageTotal } from '../contracts/protocol.gen.ts';
import * as say from '../contracts/words.gen.ts';

/** Formats a token count: 940, 12.3k, 4.1M. */
export function tokens(n: number): string {
  if (n < 1000) return String(Math.round(n));
  if (n < 999_500) return `${trim(n / 1000)}k`;
  return `${trim(n / 1_000_000)}M`;
}
const trim = (n: number): string => String(n >= 99.95 ? Math.round(n) : Math.round(n * 10) / 10);

/** Formats an amount in US dollars; a small amount is never shown as zero. */
export function dollars(usd: number): string {
  if (usd >= 100) return `$${Math.round(usd)}`;
  if (usd >= 0.005 || usd <= 0) return `$${(Math.round(Math.max(0, usd) * 100) / 100).toFixed(2)}`;
  return usd >= 0.0001 ? `$${usd.toFixed(4)}` : say.tinyCost;
}

/** Adds up totals. */
export function sumUsage(totals: readonly UsageTotal[]): UsageTotal {
  const sum = (of: keyof UsageTotal) => totals.reduce((n, total) => n + (total[of] ?? 0), 0);
  return {
    tokens_in: sum('tokens_in'), tokens_out: sum('tokens_out'), cost_usd: sum('cost_usd'),
    priced: sum('priced'), unpriced: sum('unpriced'), estimated: sum('estimated'), listed: sum('listed'),
  };
}

/**
 * Formats a total cost: "at least …" if only some reports have a price, "unknown" if none has one, and a note if
 * nothing was used.
 */
export function costWords(total: UsageTotal): string {
  if (total.priced === 0) return total.unpriced === 0 ? say.nothingUsed : say.costUnknown;
  const sum = about(total.estimated || total.listed) + dollars(total.cost_usd);
  return total.unpriced > 0 ? say.atLeast(sum) : sum;
}

/** Formats a total cost briefly: the token count if no report has a price, '' if nothing was used. */
export function costShort(total: UsageTotal): string {
  if (total.priced === 0) return total.unpriced === 0 ? '' : about(total.estimated) + say.tokens(tokens(total.tokens_in + total.tokens_out));
  return `${total.unpriced > 0 ? '≥ ' : ''}${about(total.estimated || total.listed)}${dollars(total.cost_usd)}`;
}

/** Returns the prefix for a figure: "~" if it is at least partly estimated, else ''. */
const about = (estimated: boolean | number | undefined): string => (estimated ? '~' : '');

/** Explains why a total is incomplete, or returns '' if it is complete. */
export function unpricedWords(total: UsageTotal): string {
  if (total.unpriced === 0) return '';
  const all = total.unpriced + total.priced;
  return say.unpriced(total.unpriced, say.reports(all));
}

/** Formats the token usage and cost of one turn. */
export function turnWords({ tokens_in = 0, tokens_out = 0, cost_usd, estimated, listed }: Usage): string {
  const cost = cost_usd === undefined ? say.costUnknown : about(estimated || listed) + dollars(cost_usd);
  const used = say.turnUsage(tokens(tokens_in), tokens(tokens_out), cost);
  return estimated ? say.estimated(used) : used;
}
