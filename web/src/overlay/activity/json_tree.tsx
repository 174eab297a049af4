import { plain } from '../../world/plain.ts';
import { Marked } from '../kit/marked.tsx';

/** Members shown of one object or list; the rest is counted. */
const SHOWN = 100;
const TEXT = 4000;

/** Any JSON as a tree that folds. */
export function JsonTree({ name, value, open = false }: { name?: string; value: unknown; open?: boolean }) {
  if (value === null || typeof value !== 'object') {
    return (
      <div class="json-leaf">
        {name !== undefined && <span class="json-key">{plain(name)}: </span>}
        <bdi class={`json-${value === null ? 'null' : typeof value}`}>
          <Marked text={leafWords(value)} />
        </bdi>
      </div>
    );
  }
  const entries = Object.entries(value);
  const list = Array.isArray(value);
  return (
    <details class="json" open={open}>
      <summary>
        {name !== undefined && <span class="json-key">{plain(name)} </span>}
        <span class="soft">{list ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      <div class="json-kids">
        {entries.slice(0, SHOWN).map(([key, kid]) => (
          <JsonTree key={key} name={key} value={kid} />
        ))}
        {entries.length > SHOWN && <div class="soft">… {entries.length - SHOWN} more</div>}
      </div>
    </details>
  );
}

function leafWords(value: unknown): string {
  const text = typeof value === 'string' ? value : String(value);
  return text.length > TEXT ? `${text.slice(0, TEXT)}… (${text.length} characters)` : text;
}
