import type { UsageTotal } from '../../contracts/protocol.gen.ts';
import { costWords, tokens, unpricedWords } from '../../hud/usage.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows token usage and its cost, and why the cost is incomplete or unknown. */
export function Cost({ usage, title = say.usedSoFar }: { usage: UsageTotal; title?: string }) {
  const cached = (usage.cache_read ?? 0) + (usage.cache_write ?? 0);
  const why = unpricedWords(usage);
  return (
    <section>
      <h3>{title}</h3>
      <p class="facts">
        <span class={usage.priced === 0 ? 'tag' : 'tag money'} title={why || undefined}>
          {costWords(usage)}
        </span>
        <span class="small">
          {tokens(usage.tokens_in)} in · {tokens(usage.tokens_out)} out
          {cached > 0 && <span class="soft"> · {tokens(cached)} cached</span>}
        </span>
      </p>
      {why && <p class="soft small">{why}</p>}
    </section>
  );
}
