import { plain } from '../../world/plain.ts';
import { Marked } from '../kit/marked.tsx';
import { TREE_CHARS, TREE_MEMBERS } from './limits.ts';

/** Shows JSON as a collapsible tree; `open` expands the top level, `deep` all levels. */
export function JsonTree({ name, value, open = false, deep = false }: { name?: string; value: unknown; open?: boolean; deep?: boolean }) {
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
    <details class="json" open={open || deep}>
      <summary>
        {name !== undefined && <span class="json-key">{plain(name)} </span>}
        <span class="soft">{list ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      <div class="json-kids">
        {entries.slice(0, TREE_MEMBERS).map(([key, kid]) => (
          <JsonTree key={key} name={key} value={kid} deep={deep} />
        ))}
        {entries.length > TREE_MEMBERS && <div class="soft">… {entries.length - TREE_MEMBERS} more</div>}
      </div>
    </details>
  );
}

function leafWords(value: unknown): string {
  const text = typeof value === 'string' ? value : String(value);
  return text.length > TREE_CHARS ? `${text.slice(0, TREE_CHARS)}… (${text.length} characters)` : text;
}
