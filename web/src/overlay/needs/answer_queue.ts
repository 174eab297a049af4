import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { ANSWER_UNDO_MS } from '../../contracts/limits.gen.ts';
import type { CommandName } from '../../contracts/protocol.gen.ts';
import { groupByRoom } from '../../world/campus.ts';
import { groupNeeds } from '../../world/needs.ts';
import type { CommandReply } from '../../world/send.ts';
import type { Need, Store } from '../../world/store.ts';
import { needName } from '../agent/name.ts';
import { refused, type Refused } from '../kit/composer.ts';
import * as say from '../../contracts/words.gen.ts';

/** The command that answers one need. */
export interface AnswerCommand {
  ref: string;
  name: CommandName;
  data: object;
}

/** An answer to one need, or to several needs that ask the same question. */
export interface Answer {
  commands: readonly AnswerCommand[];
  /** The answer as shown, such as "Allow once". */
  words: string;
  /** The toast shown once the office has accepted the answer. */
  done: string;
  /** True if the answer is to a permission request; such an answer is not sent when the page closes. */
  isPermission?: boolean;
}

/** An answer that can still be undone. */
export interface PendingAnswer extends Answer {
  id: number;
  /** Local time when the answer is sent. */
  due: number;
  timer: ReturnType<typeof setTimeout>;
}

/** The user's input on a card; kept while the answer can be undone. */
export interface CardDraft {
  own: Signal<string>;
  note: Signal<string | null>;
  picked: Signal<readonly string[]>;
}

interface AnswerQueueDeps {
  store: Store;
  frozen: ReadonlySignal<string | null>;
  toast: (text: string, tone?: 'good' | 'bad' | 'plain') => void;
  act: (name: CommandName, data: object) => Promise<CommandReply>;
  /** Shows the card of a need again, after its answer was undone. */
  reopen: (ref: string) => void;
}

/** The answers that were given on this page: those that can still be undone, are being sent, or were refused. */
export class AnswerQueue {
  readonly given: Signal<readonly PendingAnswer[]> = signal([]);
  readonly refused: Signal<ReadonlyMap<string, Refused>> = signal(new Map());
  /** Groups whose members the user wants to answer one by one. */
  readonly oneByOne: Signal<ReadonlySet<string>> = signal(new Set());
  /**
   * The unanswered needs as cards, in inbox order: most urgent first. If there are studios, the cards are grouped by
   * studio, and the studio with the most urgent card comes first. Needs that ask the same question share a card.
   */
  readonly cards: ReadonlySignal<readonly (readonly Need[])[]>;
  private readonly taken: Signal<ReadonlySet<string>> = signal(new Set());
  private readonly drafts = new Map<string, CardDraft>();
  private count = 0;

  constructor(private readonly deps: AnswerQueueDeps) {
    this.cards = computed(() => {
      const { needs, campus, agents } = deps.store;
      const cards = groupNeeds(needs.value.filter((n) => !this.taken.value.has(n.ref))).flatMap((card) =>
        card[0]!.same !== undefined && this.oneByOne.value.has(card[0]!.same) ? card.map((n) => [n]) : [card],
      );
      if (campus.value.length < 2) return cards;
      return groupByRoom(campus.value, agents.value, cards, (card) => card[0]!.agent_id).flatMap((group) => group.items);
    });
  }

  draft(ref: string): CardDraft {
    const draft = this.drafts.get(ref) ?? { own: signal(''), note: signal(null), picked: signal([]) };
    this.drafts.set(ref, draft);
    return draft;
  }

  /**
   * Accepts an answer and sends it once it can no longer be undone, or immediately if a question would expire before
   * then. While commands are disabled, it only shows the reason.
   */
  give(answer: Answer): void {
    const { store, frozen, toast } = this.deps;
    const reason = frozen.peek();
    if (reason !== null) return toast(reason, 'bad');
    const refs = answer.commands.map((command) => command.ref);
    this.taken.value = new Set([...this.taken.peek(), ...refs]);
    this.refused.value = new Map([...this.refused.peek()].filter(([ref]) => !refs.includes(ref)));
    const until = Math.min(...store.needs.peek().map((n) => (refs.includes(n.ref) && n.until) || Infinity));
    if (until - store.now() <= ANSWER_UNDO_MS) return void this.send(answer);
    const id = ++this.count;
    const timer = setTimeout(() => this.drop(id, (pending) => void this.send(pending)), ANSWER_UNDO_MS);
    this.given.value = [...this.given.peek(), { ...answer, id, timer, due: Date.now() + ANSWER_UNDO_MS }];
  }

  /** Undoes the answer with this id, by default the newest; returns false if there is none. */
  undo(id = this.given.peek().at(-1)?.id): boolean {
    return this.drop(id, (pending) => {
      this.release(pending.commands.map((command) => command.ref));
      this.deps.reopen(pending.commands[0]!.ref);
      this.deps.toast(say.undone);
    });
  }

  /**
   * Called when the page closes: sends pending answers, except answers to permission requests, which could not be
   * undone once sent. Those requests return to the inbox.
   */
  flush(): void {
    for (const { id, isPermission } of this.given.peek()) {
      this.drop(id, (pending) => {
        if (!isPermission) return void this.send(pending);
        this.release(pending.commands.map((command) => command.ref));
        // The user sees this only if the browser restores the page.
        this.deps.toast(say.notSentOpen(`“${pending.words}”`), 'bad');
      });
    }
  }

  /** Drops the state of needs that no longer exist; a toast reports each answer that will not be sent as a result. */
  prune(open: ReadonlySet<string>): void {
    const gone = [...this.taken.peek(), ...this.refused.peek().keys(), ...this.drafts.keys()].filter((ref) => !open.has(ref));
    for (const ref of gone) this.drafts.delete(ref);
    if (gone.length > 0) this.release(gone);
    for (const pending of this.given.peek()) {
      const commands = pending.commands.filter((command) => open.has(command.ref));
      if (commands.length === pending.commands.length) continue;
      this.deps.toast(say.notSentGone(pending.words), 'bad');
      if (commands.length === 0) this.drop(pending.id, () => {});
      else this.given.value = this.given.peek().map((old) => (old.id === pending.id ? { ...pending, commands } : old));
    }
  }

  private drop(id: number | undefined, then: (pending: PendingAnswer) => void): boolean {
    const pending = this.given.peek().find((a) => a.id === id);
    if (!pending) return false;
    clearTimeout(pending.timer);
    this.given.value = this.given.peek().filter((a) => a !== pending);
    then(pending);
    return true;
  }

  private release(refs: readonly string[]): void {
    this.taken.value = new Set([...this.taken.peek()].filter((ref) => !refs.includes(ref)));
    this.refused.value = new Map([...this.refused.peek()].filter(([ref]) => !refs.includes(ref)));
  }

  /** Sends one command per need. If a command is refused, its need returns to the inbox, with a toast. */
  private async send({ commands, done }: Answer): Promise<void> {
    const replies = await Promise.all(commands.map((command) => this.deps.act(command.name, command.data)));
    replies.forEach((reply, i) => {
      if (!reply.ok) this.refuse(commands[i]!.ref, refused(reply));
    });
    if (replies.some((reply) => reply.ok)) this.deps.toast(done, 'good');
  }

  private refuse(ref: string, why: Refused): void {
    const { store, toast } = this.deps;
    const need = store.needs.peek().find((n) => n.ref === ref);
    const who = need && needName(store.agents.peek(), need);
    this.release([ref]);
    this.refused.value = new Map(this.refused.peek()).set(ref, why);
    toast(who ? `${who}: ${why.message}` : why.message, 'bad');
  }
}

/** Calls prune() when needs change and flush() when the page closes. Returns a function that stops both. */
export function watchAnswerQueue({ store, shell }: { store: Store; shell: { answerQueue: AnswerQueue } }): () => void {
  const { answerQueue } = shell;
  const flush = () => answerQueue.flush();
  addEventListener('pagehide', flush);
  const stop = effect(() => answerQueue.prune(new Set(store.needs.value.map((n) => n.ref))));
  return () => {
    removeEventListener('pagehide', flush);
    stop();
  };
}
