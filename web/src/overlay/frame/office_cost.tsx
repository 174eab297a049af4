import { Coins } from 'lucide';
import type { OfficeUsage } from '../../contracts/protocol.gen.ts';
import { costShort, costWords, tokens, unpricedWords } from '../../hud/usage.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';

/** Shows the office's usage today, with details on hover. With studios, a click opens the costs of each studio. */
export function OfficeCost() {
  const { store, shell } = useOffice();
  const usage = store.usage.value;
  if (!usage) return null;
  const { today, lifetime } = usage;
  const said = officeCostLines(usage);
  const content = (
    <>
      <Icon of={Coins} size={14} />
      <span aria-hidden="true">
        {costShort(today) || '$0.00'} today<span class="chip-ever"> · {costShort(lifetime) || '$0.00'} all time</span>
      </span>
      <span class="unseen">{said.join(' ')}</span>
    </>
  );
  const title = said.join('\n');
  if (store.campus.value.length < 2) return <span class="chip-cost" title={title}>{content}</span>;
  return (
    <button type="button" class="link chip-cost" title={title} onClick={() => (shell.dialog.value = { kind: 'cost' })}>
      {content}
    </button>
  );
}

/** Returns sentences about the office's usage, today and in total. */
export function officeCostLines({ today, lifetime }: OfficeUsage): readonly string[] {
  return [
    `Today (UTC): ${costWords(today)}, ${tokens(today.tokens_in)} tokens in and ${tokens(today.tokens_out)} out.`,
    `All time: ${costWords(lifetime)}, ${tokens(lifetime.tokens_in)} in and ${tokens(lifetime.tokens_out)} out.`,
    unpricedWords(lifetime),
  ].filter(Boolean);
}
