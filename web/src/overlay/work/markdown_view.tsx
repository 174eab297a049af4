import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { plain } from '../../world/plain.ts';
import type { Parts } from './find.ts';
import { inIdle } from './idle.ts';
import { FULL_LIMITS } from './limits.ts';
import { TextView } from './lines_view.tsx';
import { isTooComplex, markdownSlices } from './slices.ts';
import * as say from '../../contracts/words.gen.ts';

/** Shows a Markdown document, rendered in pieces so that even a long document opens immediately. */
export function MarkdownView({ text, parts, onFile }: { text: string; parts: Parts; onFile: (link: string) => void }) {
  const ref = useRef<HTMLDivElement>(null);
  const ready = useSignal(false);
  const { rich, rest } = useMemo(() => markdownSlices(text), [text]);
  useEffect(() => {
    const el = ref.current!;
    let stop = () => {};
    let gone = false;
    const draw = async () => {
      const { markdownNodes } = await import('./markdown.ts');
      if (gone) return;
      ready.value = true;
      el.replaceChildren();
      const steps = rich.map((slice) => () => {
        const part = document.createElement('div');
        part.className = 'prose-part';
        part.append(isTooComplex(slice) ? plainNode(slice) : nodesOf(slice, markdownNodes));
        el.append(part);
      });
      stop = inIdle(steps);
    };
    void draw();
    return () => {
      gone = true;
      stop();
    };
  }, [rich]);
  return (
    <>
      {!ready.value && <p class="soft">{say.opening}</p>}
      <div ref={ref} class="prose" dir="auto" onClick={(e) => open(e.target, onFile)} />
      {rest !== '' && (
        <>
          <p class="soft">The rest of this long document is shown as plain text.</p>
          <TextView text={rest} limits={FULL_LIMITS} parts={parts} />
        </>
      )}
    </>
  );
}

function open(target: EventTarget | null, onFile: (link: string) => void): void {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('button.file-link') : null;
  if (button) onFile(button.value);
}

// Renders one slice. If deep nesting exhausts the parser, this slice becomes plain text; other slices are still
// rendered.
function nodesOf(slice: string, parse: (text: string) => Node): Node {
  try {
    return parse(slice);
  } catch {
    return plainNode(slice);
  }
}

function plainNode(slice: string): Node {
  const pre = document.createElement('pre');
  pre.className = 'out';
  pre.dir = 'auto';
  pre.textContent = plain(slice);
  return pre;
}
