import { Bot } from 'lucide';
import type { Artifact, Task } from '../../contracts/protocol.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { isReviewStale, reviewLine } from './review_words.ts';
import * as say from '../../contracts/words.gen.ts';

/**
 * Shows which agents reviewed a patch, with their overall comments. Their individual findings are shown inline in the
 * patch.
 */
export function AgentReviews({ artifact, task }: { artifact: Artifact; task: Task | undefined }) {
  const { store } = useOffice();
  const { reviews = [] } = artifact;
  if (reviews.length === 0) return null;
  const stale = isReviewStale(artifact, task);
  return (
    <ul class="agent-reviews" tabIndex={0} aria-label="Reviews by agents">
      {reviews.map((review) => (
        <li key={review.agent_id ?? ''}>
          <Icon of={Bot} size={14} />
          <Words class="strong">{reviewLine(review, store.agents.value, stale)}</Words>
          {review.rehearsal && <span class="tag rehearsal">{say.rehearsal}</span>}
          {review.summary && <Words class="review-summary">{review.summary}</Words>}
        </li>
      ))}
    </ul>
  );
}
