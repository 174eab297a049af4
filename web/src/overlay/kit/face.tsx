import { identity, type Origin } from '../../look/identity.ts';
import { badgeColor } from '../../look/marks.ts';
import type { AgentView } from '../../world/store.ts';

interface Props {
  id: string;
  role?: string | undefined;
  /** The agent, if more than the role is known. */
  of?: (Origin & Pick<AgentView, 'role' | 'from'>) | undefined;
  size?: number;
}

/** Shows an agent's head in the colours of its figure in the room, with a badge if the agent is a guest. */
export function Face({ id, role, of = {}, size = 26 }: Props) {
  const look = identity(id, role ?? of.role, of);
  return (
    <svg class="face" aria-hidden="true" width={size} height={size} viewBox="0 0 26 26">
      <circle cx="13" cy="13" r="13" fill={look.top} fill-opacity="0.28" />
      <path d="M4.5 26a8.5 7 0 0 1 17 0z" fill={look.top} />
      <circle cx="13" cy="12" r="6.6" fill={look.skin} />
      <path d="M6 12.2C5.4 6.4 9 3.8 13 3.8s7.6 2.6 7 8.4c-1-2.6-2.6-4-4.2-4.4-2.6 1.2-6.4 1-8.2.4-.8.9-1.4 2.3-1.6 4z" fill={look.hair} />
      <circle cx="10.7" cy="12.9" r="0.9" class="face-eye" />
      <circle cx="15.3" cy="12.9" r="0.9" class="face-eye" />
      {of.source && <path d="M9 18.8l4 4 4-4M11 23h4v3h-4z" class="face-badge" stroke={badgeColor(of.from)} />}
    </svg>
  );
}
