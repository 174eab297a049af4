import type { Artifact } from '../../contracts/protocol.gen.ts';
import { bytesWords } from '../kit/time.ts';
import { CodeView } from './code_view.tsx';
import { contentPath } from './content.ts';
import { ImageView } from './image_view.tsx';
import { showingOf } from './language.ts';
import { MarkdownView } from './markdown_view.tsx';
import { PlainView } from './plain_view.tsx';
import { useContent } from './use_content.ts';

/** What a version contains, shown as what it is. */
export function Body({ artifact }: { artifact: Artifact }) {
  const { content, error } = useContent(artifact);
  if (error) return <p class="refusal" role="alert">{error}</p>;
  if (!content) return <p class="soft">Opening…</p>;
  if (content.kind === 'image') return <ImageView blob={content.blob} title={artifact.title ?? artifact.type} />;
  if (content.kind === 'other') {
    return (
      <p>
        {bytesWords(content.bytes)} of {artifact.mime}.{' '}
        <a href={contentPath(artifact.artifact_id)} download={artifact.title ?? artifact.artifact_id}>
          Save the file
        </a>
      </p>
    );
  }
  const showing = showingOf(artifact);
  if (showing.kind === 'markdown') return <MarkdownView text={content.text} />;
  if (showing.kind === 'code') return <CodeView text={content.text} language={showing.language} />;
  return <PlainView text={content.text} />;
}
