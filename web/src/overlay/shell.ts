import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { THREAD_BD } from '../contracts/limits.gen.ts';
import type { Artifact, CommandName } from '../contracts/protocol.gen.ts';
import type { Ref } from '../world/focus.ts';
import type { CommandReply } from '../world/send.ts';
import type { OverlayDeps } from './deps.ts';
import { freezeReason } from './freeze.ts';
import type { AcceptDraft } from './frame/accept.tsx';
import type { ConstraintValues } from './frame/constraints.tsx';
import { newDraft, type Draft } from './kit/composer.ts';
import { AnswerQueue, type Answer } from './needs/answer_queue.ts';
import { approveReason } from './needs/permission.ts';
import type { Withdrawn } from './needs/withdrawn.tsx';
import { findingsOf, type Review } from './work/review.ts';
import * as say from '../contracts/words.gen.ts';

/** The panels of the right column; 'tasks' and 'more' are tabs of the phone layout only. */
export type PanelName = 'needs' | 'people' | 'chat' | 'activity' | 'feed' | 'agent' | 'tasks' | 'more';

export type DialogView =
  | { kind: 'artifact'; id: string; part?: 'read' | 'diff' | 'changes' | 'split' }
  | { kind: 'assign'; taskId: string }
  | { kind: 'cancel'; taskId: string }
  | { kind: 'receipt'; taskId: string }
  | { kind: 'settings' }
  | { kind: 'connect' }
  | { kind: 'cost' }
  | { kind: 'keys' }
  | { kind: 'palette' };

export interface Toast {
  id: number;
  tone: 'good' | 'bad' | 'plain';
  text: string;
}

const TOASTS_AT_ONCE = 3;

/**
 * Holds the overlay's own state, such as the open panel and drafts, and sends commands. The state itself never leaves
 * the page.
 */
export class Shell {
  readonly panel: Signal<PanelName | null>;
  readonly board: Signal<boolean> = signal(false);
  readonly dialog: Signal<DialogView | null> = signal(null);
  /** True if the user chose the text view. */
  readonly textChosen: Signal<boolean> = signal(false);
  /** True if there is no 3D view to go back to. */
  readonly listOnly: ReadonlySignal<boolean>;
  /** True while the text view is shown: the user chose it, or there is no 3D view. */
  readonly asText: ReadonlySignal<boolean>;
  /** The thread shown in the chat. */
  readonly thread: Signal<string> = signal(THREAD_BD);
  /** The seq of the newest message that was read, by thread. */
  readonly seen: Signal<ReadonlyMap<string, number>> = signal(new Map());
  readonly toasts: Signal<readonly Toast[]> = signal([]);
  /** The draft of a request, shared by all layouts. */
  readonly request: Draft & { constraints: Signal<ConstraintValues>; repo: Signal<string>; accept: Signal<readonly AcceptDraft[]> } = {
    ...newDraft(),
    constraints: signal({}),
    repo: signal(''),
    accept: signal([]),
  };
  /** The selected need, which Y and N answer. */
  readonly need: Signal<string | null> = signal(null);
  /** The need that has been visible long enough to be answered: an earlier key or click was meant for another card. */
  readonly armed: Signal<string | null> = signal(null);
  /** The ids of permission requests whose call was displayed in full. */
  readonly readRequests: Signal<ReadonlySet<string>> = signal(new Set());
  /** Recently withdrawn questions. */
  readonly withdrawn: Signal<readonly Withdrawn[]> = signal([]);
  /** The project on the board; null picks the most important one. */
  readonly project: Signal<string | null> = signal(null);
  /** Local time, updated once a second while the page is visible. */
  readonly clock: Signal<number> = signal(Date.now());
  readonly phone: Signal<boolean> = signal(false);
  /** On a phone: true while the room fills the screen and the panel is hidden. */
  readonly roomFullScreen: Signal<boolean> = signal(false);
  readonly frozen: ReadonlySignal<string | null>;
  readonly answerQueue: AnswerQueue;
  /** The need most recently answered on this page; when its card is removed, the next card is selected. */
  answered: string | null = null;
  private toastCount = 0;
  private readonly reviews = new Map<string, Pick<Review, 'comments' | 'writing'>>();

  constructor(private readonly deps: OverlayDeps) {
    this.panel = signal('needs');
    this.listOnly = deps.listOnly ?? signal(false);
    this.asText = computed(() => this.listOnly.value || this.textChosen.value);
    this.frozen = computed(() => freezeReason(deps.link.value, deps.store.access.value));
    this.answerQueue = new AnswerQueue({
      store: deps.store,
      frozen: this.frozen,
      toast: (text, tone) => this.toast(text, tone),
      act: (name, data) => this.act(name, data, undefined, true),
      reopen: (ref) => (this.need.value = ref),
    });
  }

  /** Sends a command. A toast shows `done` on success and the refusal on failure; `quiet` suppresses the refusal. */
  async act(name: CommandName, data: object, done?: string, quiet = false): Promise<CommandReply> {
    const frozen = this.frozen.peek();
    // Set before sending: the event may arrive before the reply.
    this.answered = answeredBy(name, data) ?? this.answered;
    const reply: CommandReply = frozen !== null ? { ok: false, code: 'OFFLINE', message: frozen } : await this.deps.send(name, data);
    if (reply.ok) {
      if (done) this.toast(done, 'good');
    } else if (!quiet) {
      this.toast(reply.message, 'bad');
    }
    return reply;
  }

  /** Returns the comments and findings on a version of a deliverable; comments are kept while the page is open. */
  review(artifact: Artifact): Review {
    const { artifact_id, status } = artifact;
    const kept = this.reviews.get(artifact_id) ?? { comments: signal([]), writing: signal(null) };
    this.reviews.set(artifact_id, kept);
    return { ...kept, findings: findingsOf(artifact), open: status === 'in_review' };
  }

  /**
   * Approves a deliverable, or shows why this page cannot approve it. The office refuses if the deliverable's status
   * is no longer the one shown here.
   */
  approve(artifact: Artifact): void {
    const reason = approveReason({ shell: this, store: this.deps.store }, artifact);
    if (reason !== null) return this.toast(reason, 'bad');
    const { artifact_id, status } = artifact;
    const data = { artifact_id, expected_artifact_status: status };
    this.answer({ commands: [{ ref: artifact_id, name: 'approve_artifact', data }], words: say.approve, done: say.approved });
  }

  /** Answers needs; the user has a few seconds to undo the answer. */
  answer(answer: Answer): void {
    // Set before the card is removed.
    this.answered = answer.commands[0]!.ref;
    this.answerQueue.give(answer);
  }

  /** Asks the office to assign the tasks of a project. */
  start(projectId: string, quiet = false): Promise<CommandReply> {
    return this.act('auto_assign', { project_id: projectId }, say.tasksAssigned, quiet);
  }

  /** Records that a permission request's call was displayed in full. */
  markRead(decisionId: string): void {
    this.readRequests.value = new Set([...this.readRequests.peek(), decisionId]);
  }

  toast(text: string, tone: Toast['tone'] = 'plain'): void {
    const toast = { id: ++this.toastCount, tone, text };
    this.toasts.value = [...this.toasts.peek(), toast].slice(-TOASTS_AT_ONCE);
  }

  dismiss(id: number): void {
    this.toasts.value = this.toasts.peek().filter((t) => t.id !== id);
  }

  show(panel: PanelName): void {
    this.panel.value = panel;
    this.roomFullScreen.value = false;
  }

  /** Opens the panel, dialog or board that shows the target of a reference. */
  open(ref: Ref): void {
    switch (ref.kind) {
      case 'agent':
        this.deps.focus.selected.value = ref;
        this.show('agent');
        return;
      case 'artifact':
        this.dialog.value = { kind: 'artifact', id: ref.id };
        return;
      case 'decision':
        this.need.value = ref.id;
        this.show('needs');
        return;
      case 'task':
        this.openBoard(ref.id);
        return;
      case 'poi':
        this.openPlace(ref.id);
        return;
      case 'decor': {
        const trophy = this.deps.store.decor.peek().find((d) => d.decor_id === ref.id);
        if (trophy) this.showProject(trophy.unlocked_by_project_id);
        return;
      }
      case 'player':
      case 'cat':
        return;
    }
  }

  /** Opens the board. If a task is given, the board shows its project with the task selected. */
  openBoard(taskId?: string): void {
    const task = this.deps.store.tasks.peek().find((t) => t.task_id === taskId);
    if (task) this.deps.focus.selected.value = { kind: 'task', id: task.task_id };
    this.showProject(task?.project_id ?? null);
  }

  showProject(projectId: string | null): void {
    if (projectId !== null) this.project.value = projectId;
    if (this.phone.peek()) this.show('tasks');
    else this.board.value = true;
  }

  talk(thread: string): void {
    this.thread.value = thread;
    this.show('chat');
  }

  private openPlace(poiId: string): void {
    const type = this.deps.store.places.peek()?.pois.find((p) => p.poi_id === poiId)?.type;
    if (type === 'task_board') this.openBoard();
    else if (type === 'inbox' || type === 'delivery_shelf') this.show('needs');
    else if (type === 'trophy_shelf') this.openBoard();
  }
}

const answers: ReadonlySet<CommandName> = new Set<CommandName>(['request_changes', 'split_into_tasks']);

/** Returns the id of the need that a command answers, or undefined if it answers none. */
function answeredBy(name: CommandName, data: object): string | undefined {
  if (!answers.has(name)) return undefined;
  return (data as { artifact_id?: string }).artifact_id;
}
