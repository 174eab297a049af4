import { CircleCheck, CircleDashed, CircleDot, CirclePause, CircleSlash, Eye } from 'lucide';
import type { IconNode } from 'lucide';
import type { TaskStatus } from '../../contracts/protocol.gen.ts';

/** The icon of each task status, so that colour is never the only cue. */
export const taskIcons: Record<TaskStatus, IconNode> = {
  planned: CircleDashed,
  in_progress: CircleDot,
  blocked: CirclePause,
  review: Eye,
  done: CircleCheck,
  cancelled: CircleSlash,
};
