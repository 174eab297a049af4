import { Coins } from 'lucide';
import { costShort, costWords, tokens, unpricedWords } from '../../hud/usage.ts';
import { Icon } from '../kit/icon.tsx';
import { useOffice } from '../office.ts';

/** Shows the office's usage today; hovering or focusing it shows the details. */
export function OfficeCost() {
  const usage = useOffice().store.usage.value;
  if (!usage) return null;
  const { today, lifetime } = usage;
  const said = [
    `Today (UTC): ${costWords(today)}, ${tokens(today.tokens_in)} tokens in and ${tokens(today.tokens_out)} out.`,
    `All time: ${costWords(lifetime)}, ${tokens(lifetime.tokens_in)} in and ${tokens(lifetime.tokens_out)} out.`,
    unpricedWords(lifetime),
  ].filter(Boolean);
  return (
    <span class="chip-cost" title={said.join('\n')}>
      <Icon of={Coins} size={14} />
      <span aria-hidden="true">
        {costShort(today) || '$0.00'} today<span class="chip-ever"> · {costShort(lifetime) || '$0.00'} all time</span>
      </span>
      <span class="unseen">{said.join(' ')}</span>
    </span>
  );
}
