import type { AgentView } from '../world/store.ts';
import type { Pose } from './people_pose.ts';

/** The pictures that a monitor can show, in the order of the atlas. */
export const screenKinds = ['code', 'terminal', 'page', 'tests', 'waiting', 'chart', 'saver', 'saver_dusk'] as const;
export type ScreenKind = (typeof screenKinds)[number];

/** A picture on a monitor and its brightness. */
export interface ScreenPicture { kind: ScreenKind; light: number }

/** The picture on an empty desk's monitor: a screen saver, so that the monitor is not black. */
export const saver: ScreenPicture = { kind: 'saver', light: 0.62 };
const working = 1.1;

/**
 * Chooses the picture for an agent's monitor by the agent's pose, and by the tool in its status line or the kind of its
 * task.
 */
export function pictureOf(pose: Pose, view: AgentView | null, taskKind: string | undefined): ScreenPicture {
  switch (pose) {
    case 'type':
    case 'read':
    case 'think': return { kind: workOf(view?.status_line ?? '', taskKind), light: pose === 'type' ? working : 0.95 };
    case 'ask':
    case 'blocked':
    case 'wait': return { kind: 'waiting', light: 0.8 };
    case 'offline': return { ...saver, light: 0.35 };
    default: return saver;
  }
}

function workOf(line: string, taskKind: string | undefined): ScreenKind {
  // Labels of tool calls begin with an emoji; see hud/label.
  if (line.startsWith('⚡')) return /\b(test|spec|vitest|jest|pytest|check)\b/i.test(line) ? 'tests' : 'terminal';
  if (line.startsWith('✏️')) return 'code';
  if (/^(👁|🌐|🔍)/u.test(line)) return 'page';
  switch (taskKind) {
    case 'plan':
    case 'design': return 'chart';
    case 'research':
    case 'copy':
    case 'review': return 'page';
    default: return 'code';
  }
}
