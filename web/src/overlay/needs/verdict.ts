import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { ANSWER_UNDO_MS } from '../../contracts/limits.gen.ts';
import type { CommandName } from '../../contracts/protocol.gen.ts';
import { groupNeeds } from '../../world/needs.ts';
import type { CommandReply } from '../../world/send.ts';
import type { Need, Store } from '../../world/store.ts';
import { nameOf } from '../agent/name.ts';
import { refused, type Refused } from '../kit/composer.ts';
import * as say from '../../contracts/words.gen.ts';

/** The command that answers one need. */
export interface Order {
  ref: string;
  name: CommandName;
  data: object;
}

/** An answer to one need, or to several that ask the same. */
export interface Answer {
  orders: readonly Order[];
  /** The answer in words: "Allow once". */
  words: string;
  /** Said when the office has taken it. */
  done: string;
  /** It lets an agent run a tool, so it is never sent when the page closes. */
  permit?: boolean;
}

/** An answer that can still be taken back. */
export interface Verdict extends Answer {
  id: number;
  /** Local time at which it is sent. */
  due: number;
  timer: ReturnType<typeof setTimeout>;
}

/** What is written on a card; it outlives the card while the answer can be taken back. */
export interface CardDraft {
  own: Signal<string>;
  note: Signal<string | null>;
  picked: Signal<readonly string[]>;
}

interface Desk {
  store: Store;
  frozen: ReadonlySignal<string | null>;
  toast: (text: string, tone?: 'good' | 'bad' | 'plain') => void;
  act: (name: CommandName, data: object) => Promise<CommandReply>;
  /** Shows a card again. */
  reopen: (ref: string) => void;
}

/** The answers of this page: those that can be taken back, those on their way, those that were refused. */
export class Verdicts {
  readonly given: Signal<readonly Verdict[]> = signal([]);
  readonly refused: Signal<ReadonlyMap<string, Refused>> = signal(new Map());
  /** Groups that are answered one by one. */
  readonly apart: Signal<ReadonlySet<string>> = signal(new Set());
  /** The needs that have no answer yet, as cards: those that one answer fits are one. */
  readonly cards: ReadonlySignal<readonly (readonly Need[])[]>;
  private readonly taken: Signal<ReadonlySet<string>> = signal(new Set());
  private readonly drafts = new Map<string, CardDraft>();
  private count = 0;

  constructor(private readonly desk: Desk) {
    this.cards = computed(() =>
      groupNeeds(desk.store.needs.value.filter((n) => !this.taken.value.has(n.ref))).flatMap((card) =>
        card[0]!.same !== undefined && this.apart.value.has(card[0]!.same) ? card.map((n) => [n]) : [card],
      ),
    );
  }

  draft(ref: string): CardDraft {
    const draft = this.drafts.get(ref) ?? { own: signal(''), note: signal(null), picked: signal([]) };
    this.drafts.set(ref, draft);
    return draft;
  }

  /** Takes an answer. It is sent when it can no longer be taken back, or now when a question would expire before that. */
  give(answer: Answer): void {
    const { store, frozen, toast } = this.desk;
    const reason = frozen.peek();
    if (reason !== null) return toast(reason, 'bad');
    const refs = answer.orders.map((o) => o.ref);
    this.taken.value = new Set([...this.taken.peek(), ...refs]);
    this.refused.value = new Map([...this.refused.peek()].filter(([ref]) => !refs.includes(ref)));
    const until = Math.min(...store.needs.peek().map((n) => (refs.includes(n.ref) && n.until) || Infinity));
    if (until - store.now() <= ANSWER_UNDO_MS) return void this.send(answer);
    const id = ++this.count;
    const timer = setTimeout(() => this.drop(id, (v) => void this.send(v)), ANSWER_UNDO_MS);
    this.given.value = [...this.given.peek(), { ...answer, id, timer, due: Date.now() + ANSWER_UNDO_MS }];
  }

  /** Takes back one answer, or the newest. */
  undo(id = this.given.peek().at(-1)?.id): boolean {
    return this.drop(id, (v) => {
      this.release(v.orders.map((o) => o.ref));
      this.desk.reopen(v.orders[0]!.ref);
      this.desk.toast(say.undone);
    });
  }

  /** The page is closing: answers are sent; permissions are not, because they could not be undone. */
  leave(): void {
    for (const { id, permit } of this.given.peek()) {
      this.drop(id, (v) => {
        if (!permit) return void this.send(v);
        this.release(v.orders.map((o) => o.ref));
        // Seen when the browser shows this page again.
        this.desk.toast(say.notSentOpen(`“${v.words}”`), 'bad');
      });
    }
  }

  /** Forgets what belongs to needs that have gone. An answer among it was not sent, and says so. */
  prune(open: ReadonlySet<string>): void {
    const gone = [...this.taken.peek(), ...this.refused.peek().keys(), ...this.drafts.keys()].filter((ref) => !open.has(ref));
    for (const ref of gone) this.drafts.delete(ref);
    if (gone.length > 0) this.release(gone);
    for (const v of this.given.peek()) {
      const orders = v.orders.filter((o) => open.has(o.ref));
      if (orders.length === v.orders.length) continue;
      this.desk.toast(say.notSentGone(v.words), 'bad');
      if (orders.length === 0) this.drop(v.id, () => {});
      else this.given.value = this.given.peek().map((old) => (old.id === v.id ? { ...v, orders } : old));
    }
  }

  private drop(id: number | undefined, then: (v: Verdict) => void): boolean {
    const verdict = this.given.peek().find((v) => v.id === id);
    if (!verdict) return false;
    clearTimeout(verdict.timer);
    this.given.value = this.given.peek().filter((v) => v !== verdict);
    then(verdict);
    return true;
  }

  private release(refs: readonly string[]): void {
    this.taken.value = new Set([...this.taken.peek()].filter((ref) => !refs.includes(ref)));
    this.refused.value = new Map([...this.refused.peek()].filter(([ref]) => !refs.includes(ref)));
  }

  /** One command for each need; a refusal is said per agent and brings that card back. */
  private async send({ orders, done }: Answer): Promise<void> {
    const replies = await Promise.all(orders.map((o) => this.desk.act(o.name, o.data)));
    replies.forEach((reply, i) => {
      if (!reply.ok) this.refuse(orders[i]!.ref, refused(reply));
    });
    if (replies.some((reply) => reply.ok)) this.desk.toast(done, 'good');
  }

  private refuse(ref: string, why: Refused): void {
    const { store, toast } = this.desk;
    const who = store.needs.peek().find((n) => n.ref === ref)?.agent_id;
    this.release([ref]);
    this.refused.value = new Map(this.refused.peek()).set(ref, why);
    toast(who ? `${nameOf(store.agents.peek(), who)}: ${why.message}` : why.message, 'bad');
  }
}

/** Follows the needs, and the end of the page. Returns how to stop. */
export function watchVerdicts({ store, shell }: { store: Store; shell: { verdicts: Verdicts } }): () => void {
  const { verdicts } = shell;
  const leave = () => verdicts.leave();
  addEventListener('pagehide', leave);
  const stop = effect(() => verdicts.prune(new Set(store.needs.value.map((n) => n.ref))));
  return () => {
    removeEventListener('pagehide', leave);
    stop();
  };
}
