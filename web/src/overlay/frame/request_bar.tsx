import { useSignal } from '@preact/signals';
import { CirclePause, CirclePlay, ListChecks, SendHorizontal, SlidersHorizontal } from 'lucide';
import { useLayoutEffect } from 'preact/hooks';
import { LIMIT_REQUEST_TEXT } from '../../contracts/limits.gen.ts';
import { useComposer } from '../kit/composer.ts';
import { Icon } from '../kit/icon.tsx';
import { Refusal } from '../kit/refusal.tsx';
import { TextBox } from '../kit/text_box.tsx';
import { useOffice } from '../office.ts';
import { Accept, acceptLines } from './accept.tsx';
import { RepoPick } from './repo_pick.tsx';
import { requestField } from './request_field.ts';
import { Welcome } from './welcome.tsx';
import { Constraints } from './constraints.tsx';
import * as say from '../../contracts/words.gen.ts';

/** The form for requests to the office. */
export function RequestBar() {
  const { shell, settings } = useOffice();
  const { planFirst } = settings;
  const { constraints, repo, accept } = shell.request;
  useKeepFocus();
  const more = useSignal(false);
  const checks = useSignal(false);
  const composer = useComposer(LIMIT_REQUEST_TEXT, async (text) => {
    const chosen = constraints.peek();
    const lines = repo.peek() === '' ? [] : acceptLines(accept.peek());
    const data = {
      text,
      ...(repo.peek() !== '' && { repo: repo.peek() }),
      ...(lines.length > 0 && { accept: lines }),
      ...(Object.keys(chosen).length > 0 && { constraints: chosen }),
      ...(!planFirst.peek() && { auto_assign: true }),
    };
    const reply = await shell.act('submit_request', data, say.onIt, true);
    if (reply.ok) {
      constraints.value = {};
      accept.value = [];
      more.value = checks.value = false;
    }
    return reply;
  }, shell.request);
  const frozen = shell.frozen.value;
  const added = accept.value.length;
  const howDone = added > 0 ? `${say.howDone} ${say.acceptChecks(added)}` : say.howDone;
  const waits = (composer.refusal.value?.retryAt ?? 0) > shell.clock.value;
  return (
    <form
      class="card request"
      aria-label={say.askTheOffice}
      onSubmit={(e) => {
        e.preventDefault();
        void composer.submit();
      }}
    >
      {more.value && <Constraints chosen={constraints} />}
      {checks.value && repo.value !== '' && <Accept chosen={accept} />}
      <Refusal of={composer.refusal} />
      <div class="request-row">
        <button
          type="button"
          class="icon-button"
          aria-label={say.thingConstraints}
          title={say.thingConstraints}
          aria-expanded={more.value}
          onClick={() => (more.value = !more.value)}
        >
          <Icon of={SlidersHorizontal} size={18} />
          {Object.keys(constraints.value).length > 0 && <span class="badge">{Object.keys(constraints.value).length}</span>}
        </button>
        <button
          type="button"
          class="icon-button"
          aria-label="Start work automatically"
          title={planFirst.value ? 'The plan waits until you start it. Click to start work automatically.' : 'Work starts automatically. Click to see the plan first.'}
          aria-pressed={!planFirst.value}
          onClick={() => (planFirst.value = !planFirst.peek())}
        >
          <Icon of={planFirst.value ? CirclePause : CirclePlay} size={18} />
        </button>
        <RepoPick chosen={repo} />
        {repo.value !== '' && (
          <button type="button" class="icon-button" aria-label={howDone} title={say.howDone} aria-expanded={checks.value} onClick={() => (checks.value = !checks.value)}>
            <Icon of={ListChecks} size={18} />
            {added > 0 && <span class="badge">{added}</span>}
          </button>
        )}
        <TextBox
          label="Ask the office for anything"
          placeholder={frozen === null ? say.askForAnything : say.commandsPaused}
          value={composer.text.value}
          locked={frozen !== null}
          onInput={composer.onInput}
          onKeyDown={composer.onKeyDown}
        />
        {composer.near && (
          <span class={composer.over ? 'counter over' : 'counter'} role="status">
            {composer.count} / {LIMIT_REQUEST_TEXT}
          </span>
        )}
        <button
          type="submit"
          class="button primary"
          disabled={frozen !== null || composer.busy.value || composer.over || waits || composer.text.value.trim() === ''}
          title={frozen ?? 'Send (Enter)'}
        >
          <Icon of={SendHorizontal} />
          Send
        </button>
      </div>
      <Welcome />
    </form>
  );
}

// Moves the focus to the new layout's field if the layout changes while the user is typing, for example because the 3D
// view is lost or the phone is rotated; otherwise the next letters would trigger shortcuts.
function useKeepFocus(): void {
  useLayoutEffect(
    () => () => {
      if (document.activeElement === requestField()) queueMicrotask(() => requestField()?.focus());
    },
    [],
  );
}
