import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AddedRule, Rule, Snapshot } from '../../contracts/protocol.gen.ts';
import * as say from '../../contracts/words.gen.ts';
import { errorWords, readJson } from '../kit/api.ts';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';

/** Lists the rules that "Always allow" added, each with a button that revokes it. */
export function Rules() {
  const { shell, store } = useOffice();
  const rules = useSignal<readonly AddedRule[]>([]);
  const problem = useSignal('');
  const look = async () => {
    try {
      rules.value = ((await readJson('/v1/state')) as Snapshot).rules ?? [];
    } catch (e) {
      problem.value = errorWords(e);
    }
  };
  useEffect(() => void look(), []);
  const revoke = async (rule_id: string) => {
    const reply = await shell.act('revoke_rule', { rule_id }, say.ruleRevoked);
    if (reply.ok) rules.value = rules.value.filter((r) => r.rule.rule_id !== rule_id);
  };
  return (
    <section aria-label={say.rules}>
      <span class="strong">{say.rules}</span>
      <span class="soft small block">{problem.value || (rules.value.length > 0 ? say.rulesAllow : say.noRules)}</span>
      {rules.value.map(({ rule }) => (
        <div key={rule.rule_id} class="row">
          <Words class="clip room-name">{ruleWords(rule)}</Words>
          <button type="button" class="button" disabled={!!shell.frozen.value || !store.permit.value} onClick={() => void revoke(rule.rule_id)}>
            {say.revoke}
          </button>
        </div>
      ))}
    </section>
  );
}

/** Describes a rule in one line, like Describe in package policy. */
const ruleWords = ({ tool = [], command = [], path = [], host = [], repo = [] }: Rule) =>
  say.rule(tool.join(', '), [...command, ...path, ...host].join(', '), repo.join(', '));
