import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { THREAD_BD } from '../../contracts/limits.gen.ts';
import { useOffice } from '../office.ts';
import { Message } from './message.tsx';
import { SayBox } from './say_box.tsx';
import { threadName, threads, unread } from './threads.ts';
import * as say from '../../contracts/words.gen.ts';

/** Within this distance of the end, in CSS pixels, the list scrolls along with new messages. */
const STICK_PX = 60;

/** The chat with the office and with each agent. */
export function Chat() {
  const { store, shell } = useOffice();
  const thread = shell.thread.value;
  const rows = store.chats.value.filter((c) => c.thread_id === thread);
  const newest = rows.findLast((r) => (r.suggested_actions?.length ?? 0) > 0)?.id;
  const list = useRef<HTMLOListElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const stuck = useRef(true);
  const last = rows.at(-1);
  useLayoutEffect(() => {
    const el = list.current;
    if (el && stuck.current) el.scrollTop = el.scrollHeight;
  }, [last?.id, thread]);
  useEffect(() => {
    if (last && (shell.seen.peek().get(thread) ?? 0) < last.seq) shell.seen.value = new Map(shell.seen.peek()).set(thread, last.seq);
  }, [last?.seq, thread]);
  const all = threads(store.chats.value);
  const shown = all.includes(thread) ? all : [...all, thread];
  return (
    <div class="chat">
      {shown.length > 1 && (
        <div class="threads" role="group" aria-label="Threads">
          {shown.map((t) => {
            const fresh = unread(store.chats.value, shell.seen.value, t);
            return (
              <button key={t} type="button" class="pill" aria-pressed={t === thread} onClick={() => (shell.thread.value = t)}>
                {threadName(t, store.agents.value)}
                {fresh > 0 && <span class="badge inline">{fresh}</span>}
              </button>
            );
          })}
        </div>
      )}
      <ol
        ref={list}
        class="talk"
        aria-label={`Conversation with ${threadName(thread, store.agents.value)}`}
        tabIndex={0}
        onScroll={(e) => {
          const el = e.currentTarget;
          stuck.current = el.scrollHeight - el.scrollTop - el.clientHeight < STICK_PX;
        }}
      >
        {rows.length === 0 && <li class="empty">{say.noMessages}</li>}
        {rows.map((row) => (
          <Message key={row.id} row={row} newest={row.id === newest} onClarify={() => box.current?.focus()} />
        ))}
      </ol>
      <SayBox thread={thread} to={thread === THREAD_BD ? 'the office' : threadName(thread, store.agents.value)} box={box} />
    </div>
  );
}
