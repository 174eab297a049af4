import { CircleQuestionMark } from 'lucide';
import type { Evidence } from '../../contracts/protocol.gen.ts';
import type { AgentView } from '../../world/store.ts';
import { reasonWords, sourceWords, statusWords } from '../../world/words.ts';
import { Ago } from '../kit/ago.tsx';
import { Icon } from '../kit/icon.tsx';
import { OutpostLine } from '../kit/outpost.tsx';
import { forWords } from '../kit/time.ts';
import { Words } from '../kit/words.tsx';
import { leftWords } from '../needs/countdown.tsx';
import { useOffice } from '../office.ts';
import { useExplanation, type Explanation } from './explanation.ts';
import * as say from '../../contracts/words.gen.ts';

const RECENT = 5;

const lasted = (ms: number): string => (forWords(ms) ? ` · ${forWords(ms)}` : '');

/**
 * Explains an agent's status: the source that decided it, the evidence, and when each piece of evidence expires.
 */
export function Why({ agent }: { agent: AgentView }) {
  const { asked, ask } = useExplanation(agent.agent_id);
  const now = asked.value;
  const explanation: Explanation | null = typeof now === 'object' && 'explanation' in now ? now.explanation : null;
  const why = explanation?.why ?? agent.why ?? agent.motion?.why;
  const authority = explanation?.authority ?? agent.authority;
  const since = explanation?.since ?? agent.since;
  const evidence = explanation?.evidence ?? agent.evidence ?? [];
  if (!why && evidence.length === 0 && !agent.source) return null;
  const reason = reasonWords(why ?? '', statusWords(agent), authority);
  return (
    <section class="why">
      <h3>
        {say.whyHead}
        <button type="button" class="link" disabled={now === 'busy'} onClick={() => void ask()}>
          <Icon of={CircleQuestionMark} size={13} />
          {now === 'busy' ? say.asking : explanation ? 'Ask again' : 'Explain'}
        </button>
      </h3>
      {/* The top of the panel already shows the status line. */}
      {reason && reason !== agent.status_line && (
        <p>
          <Words>{reason}</Words>
        </p>
      )}
      {authority && (
        <p class="soft small">
          {say.decidedBy(sourceWords(authority))}
          {since ? <Ago at={since} format={lasted} /> : null}
        </p>
      )}
      {evidence.length > 0 && (
        <details open={explanation !== null}>
          <summary class="soft small">Evidence · {evidence.length}</summary>
          <ul class="evidence" aria-label="Evidence">
            {evidence.map((one, i) => (
              <EvidenceRow key={i} one={one} />
            ))}
          </ul>
        </details>
      )}
      {explanation && <Details explanation={explanation} />}
      {typeof now === 'object' && 'error' in now && (
        <p class="refusal" role="alert">
          {now.error}
        </p>
      )}
    </section>
  );
}

function EvidenceRow({ one }: { one: Evidence }) {
  return (
    <li>
      <span class="tag">{sourceWords(one.source)}</span>
      <Words class="clip">{one.says}</Words>
      <Ago at={one.at} />
      {one.until !== undefined && <Decay at={one.until} />}
    </li>
  );
}

/** Shows how much longer a piece of evidence is valid, or that it has expired. */
function Decay({ at }: { at: number }) {
  const { store, shell } = useOffice();
  void shell.clock.value; // re-renders every second
  const left = Math.ceil((at - store.now()) / 1000);
  return <span class="decay">{left > 0 ? say.stillValid(leftWords(left)) : say.expired}</span>;
}

function Changes({ at }: { at: number }) {
  const { store, shell } = useOffice();
  void shell.clock.value; // re-renders every second
  const left = Math.ceil((at - store.now()) / 1000);
  return <p class="soft small">{say.decay(left > 0 ? leftWords(left) : say.now)}</p>;
}

function Details({ explanation }: { explanation: Explanation }) {
  return (
    <>
      {explanation.decays_at ? (
        <Changes at={explanation.decays_at} />
      ) : (
        <p class="soft small">{say.noDecay}</p>
      )}
      {explanation.pid ? <p class="soft small">{say.watchedProcess(explanation.pid)}</p> : null}
      {explanation.outpost && (
        <div>
          <p class="soft small">{say.runsOnOutpost(explanation.outpost.name, say.outpostLinks[explanation.outpost.state] ?? '')}</p>
          <OutpostLine of={explanation.outpost} />
        </div>
      )}
      {explanation.recent && explanation.recent.length > 0 && (
        <ul class="evidence" aria-label="Recent activity">
          {explanation.recent.slice(0, RECENT).map((one, i) => (
            <li key={i}>
              <Words class="clip">{one.label}</Words>
              <Ago at={one.at} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
