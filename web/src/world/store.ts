import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { AccessRole, Artifact, Decision, Decor, Player, Project, SceneManifest, Task } from '../contracts/protocol.gen.ts';
import type { HudNode } from '../hud/tree.ts';
import type { AgentView, ChatRow, FeedRow, Need, ServerMessage, StreamView } from './rows.ts';

export type { AgentView, ChatRow, FeedRow, Motion, Need, ServerMessage, StreamView } from './rows.ts';

/** What the page knows of the office. */
export class Store {
  readonly scene: Signal<SceneManifest | null> = signal(null);
  readonly seq: Signal<number> = signal(0);
  readonly agents: Signal<readonly AgentView[]> = signal([]);
  readonly projects: Signal<readonly Project[]> = signal([]);
  readonly tasks: Signal<readonly Task[]> = signal([]);
  readonly artifacts: Signal<readonly Artifact[]> = signal([]);
  readonly decisions: Signal<readonly Decision[]> = signal([]);
  readonly decor: Signal<readonly Decor[]> = signal([]);
  readonly players: Signal<readonly Player[]> = signal([]);
  readonly chats: Signal<readonly ChatRow[]> = signal([]);
  readonly feed: Signal<readonly FeedRow[]> = signal([]);
  readonly streams: Signal<ReadonlyMap<string, StreamView>> = signal(new Map());
  readonly hud: Signal<readonly HudNode[]> = signal([]);
  readonly me: Signal<string> = signal('');
  readonly access: Signal<AccessRole> = signal('viewer');
  readonly needs: ReadonlySignal<readonly Need[]> = computed(() => []);

  now(): number {
    return Date.now();
  }
  apply(_m: ServerMessage): void {}
  applyAll(_messages: readonly ServerMessage[]): void {}
  reset(): void {}
}
