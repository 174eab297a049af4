import { useEffect, useRef } from 'preact/hooks';
import { plain } from '../../world/plain.ts';
import { PlainView } from './plain_view.tsx';
import { RICH_CHARS } from './slices.ts';

/** Code, plain at once and coloured as soon as the highlighter is there. */
export function CodeView({ text, language }: { text: string; language: string }) {
  const ref = useRef<HTMLElement>(null);
  const small = text.length <= RICH_CHARS;
  useEffect(() => {
    if (!small) return;
    let gone = false;
    const colour = async () => {
      const { codeNodes } = await import('./highlight.ts');
      if (!gone) ref.current?.replaceChildren(codeNodes(text, language));
    };
    void colour();
    return () => {
      gone = true;
    };
  }, [text, language, small]);
  if (!small) return <PlainView text={text} />;
  return (
    <pre class="code" tabIndex={0} aria-label="Code">
      <code ref={ref}>{plain(text)}</code>
    </pre>
  );
}
