import { useSignal } from '@preact/signals';
import { Pencil, X } from 'lucide';
import { LIMIT_INSTRUCTIONS } from '../../contracts/limits.gen.ts';
import { Icon } from '../kit/icon.tsx';
import { TextBox } from '../kit/text_box.tsx';
import { Words } from '../kit/words.tsx';
import { isAt, spotWords, type Comment, type Review, type Spot } from './review.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows a comment on a line of a patch. */
export function CommentCard({ review, comment }: { review: Review; comment: Comment }) {
  const { comments, writing, open } = review;
  if (writing.value && isAt(writing.value, comment)) return null; // the form shows the comment's text
  return (
    <div class="comment">
      <Words class="comment-text">{comment.text}</Words>
      {open && (
        <>
          <button type="button" class="icon-button tiny" aria-label={`Edit the comment on ${spotWords(comment)}`} title="Edit" onClick={() => (writing.value = comment)}>
            <Icon of={Pencil} size={14} />
          </button>
          <button
            type="button"
            class="icon-button tiny"
            aria-label={`Delete the comment on ${spotWords(comment)}`}
            title="Delete"
            onClick={() => (comments.value = comments.peek().filter((c) => c !== comment))}
          >
            <Icon of={X} size={14} />
          </button>
        </>
      )}
    </div>
  );
}

/**
 * Unsaved text, kept because the form is recreated when the layout of the lines changes, for example in a narrower
 * window.
 */
const drafts = new WeakMap<Spot, string>();

/** The form for a comment on a line; a line has at most one comment. */
export function CommentForm({ review: { comments, writing }, spot }: { review: Review; spot: Spot }) {
  const had = comments.peek().find((c) => isAt(c, spot));
  const text = useSignal(drafts.get(spot) ?? had?.text ?? '');
  const save = () => {
    const others = comments.peek().filter((c) => !isAt(c, spot));
    const { path, line, removed } = spot;
    const said = text.peek().trim().slice(0, LIMIT_INSTRUCTIONS);
    comments.value = said === '' ? others : [...others, { path, line, removed, text: said }];
    close();
  };
  const close = () => {
    drafts.delete(spot);
    writing.value = null;
    document.querySelector<HTMLElement>('dialog[open] .work-body')?.focus({ preventScroll: true });
  };
  const onInput = (e: Event) => {
    text.value = (e.currentTarget as HTMLTextAreaElement).value;
    drafts.set(spot, text.value);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    e.stopPropagation(); // letters are text here, not commands
    if (e.key === 'Escape') close();
    else if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) save();
    else return;
    e.preventDefault();
  };
  return (
    <form
      class="comment"
      onSubmit={(e) => {
        e.preventDefault();
        save();
      }}
    >
      <TextBox first label={say.commentOn(spotWords(spot))} placeholder={say.commentOn(spotWords(spot))} rows={2} maxRows={8} value={text.value} onInput={onInput} onKeyDown={onKeyDown} />
      <div class="options">
        <button type="submit" class="button primary">
          Add comment
        </button>
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
