import { useOffice } from '../office.ts';
import { requestField } from './request_field.ts';
import * as say from '../../contracts/words.gen.ts';

/** Example requests that work for any crew. */
const examples: readonly string[] = [
  'What should we fix in this folder?',
  'Plan the launch of our app',
  'Why is our nightly CI so slow?',
  'Write a page for a small bakery',
];

/**
 * Shows example requests and, for a scripted crew, how to connect real agents, until there is a project, a studio or a
 * draft.
 */
export function Welcome() {
  const { shell, store } = useOffice();
  const crew = store.agents.value.filter((a) => !a.source);
  if (crew.length === 0 || store.projects.value.length > 0 || store.campus.value.length > 1 || shell.request.text.value !== '') return null;
  const free = shell.frozen.value === null;
  const fill = (text: string) => {
    shell.request.text.value = text;
    // The example just clicked disappears, so move the focus to the field.
    requestField()?.focus();
  };
  return (
    <div class="welcome">
      {free && (
        <ul class="examples" aria-label="Examples">
          {examples.map((text) => (
            <li key={text}>
              <button type="button" class="pill" onClick={() => fill(text)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
      {crew.every((a) => a.from?.scripted) && (
        <p class="soft small">
          {say.crewRehearses}
          {free && (
            <>
              {' '}
              <button type="button" class="link" onClick={() => (shell.dialog.value = { kind: 'connect' })}>
                {say.viewConnect}
              </button>{' '}
              puts real agents at these desks.
            </>
          )}
        </p>
      )}
    </div>
  );
}
