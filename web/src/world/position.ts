import type { GoalKind, Vec3 } from '../contracts/protocol.gen.ts';
import type { AgentView } from './rows.ts';

/** Returns the point dist metres along a path, the heading there, and whether the path ends there. */
export function along(path: readonly Vec3[], dist: number): { pos: Vec3; heading: Vec3; arrived: boolean } {
  let left = dist > 0 ? dist : 0;
  let heading: Vec3 = [0, 0, 0];
  for (let i = 1; i < path.length; i++) {
    const a = path[i - 1]!;
    const b = path[i]!;
    const leg = gap(a, b);
    if (leg === 0) continue;
    heading = [(b[0] - a[0]) / leg, (b[1] - a[1]) / leg, (b[2] - a[2]) / leg];
    if (left < leg) {
      const t = left / leg;
      const pos: Vec3 = [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
      return { pos, heading, arrived: false };
    }
    left -= leg;
  }
  return { pos: path.at(-1) ?? [0, 0, 0], heading, arrived: true };
}

/** Reports whether goals of this kind make an agent walk. */
export function moves(kind: GoalKind): boolean {
  return kind === 'go_to_poi' || kind === 'go_to_player' || kind === 'deliver_artifact' || kind === 'go_home';
}

export interface Standing {
  pos: Vec3;
  heading: Vec3;
  moving: boolean;
}

/** Returns an agent's position and facing at the given server time. */
export function position(agent: AgentView, now: number): Standing {
  const motion = agent.motion;
  if (!motion || motion.path.length === 0) {
    return { pos: agent.pos, heading: agent.facing ?? [0, 0, 1], moving: false };
  }
  const at = along(motion.path, (motion.speed_mps * (now - motion.started_at)) / 1000);
  const moving = !at.arrived && moves(motion.goal.kind);
  const rest = motion.facing ?? agent.facing ?? at.heading;
  return { pos: at.pos, heading: moving ? at.heading : rest, moving };
}

/** Returns the distance between two points. */
export function gap(a: Vec3, b: Vec3): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
