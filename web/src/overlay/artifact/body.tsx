import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Artifact } from '../../contracts/protocol.gen.ts';
import { bytesWords } from '../kit/time.ts';
import { useOffice } from '../office.ts';
import { Loaded } from '../work/open.tsx';
import { contentPath, isPatch, isText } from './content.ts';
import { ImageView } from './image_view.tsx';
import { useChanges, useContent } from './use_content.ts';
import * as say from '../../contracts/words.gen.ts';

/**
 * Shows a version as a picture, patch or text, depending on its MIME type; other types are shown as a download link.
 */
export function Body({ artifact }: { artifact: Artifact }) {
  const { shell } = useOffice();
  const { content, error } = useContent(artifact);
  const review = useMemo(() => shell.review(artifact), [artifact]);
  if (error) return <Fault error={error} />;
  if (!content) return <p class="soft">{say.opening}</p>;
  if (content.kind === 'image') return <ImageView blob={content.blob} title={artifact.title ?? artifact.type} />;
  if (content.kind === 'text' && isPatch(artifact)) return <Loaded draw={({ PatchWork }) => <PatchWork text={content.text} review={review} />} />;
  if (content.kind === 'text') return <Loaded draw={({ DocumentWork }) => <DocumentWork text={content.text} of={artifact} />} />;
  return (
    <p>
      {bytesWords(content.bytes)} of {artifact.mime}.{' '}
      <a href={contentPath(artifact.artifact_id)} download={artifact.title ?? artifact.artifact_id}>
        Save the file
      </a>
    </p>
  );
}

/** Reports whether the versions are shown as a comparison at first: all of them are text, and none is a patch. */
export const isComparable = (...versions: readonly Artifact[]): boolean => versions.every((v) => isText(v.mime ?? '') && !isPatch(v));

interface Versions {
  before: Artifact;
  after: Artifact;
}

/**
 * Shows what changed between two versions: for patches, how the patched files differ; for other texts, which lines
 * differ.
 */
export function Changes(versions: Versions) {
  return isPatch(versions.before) && isPatch(versions.after) ? <PatchChanges {...versions} /> : <TextChanges {...versions} />;
}

const compareWords = ({ before, after }: Versions): string => `Version ${before.version} compared with version ${after.version}`;

function PatchChanges({ before, after }: Versions) {
  const { content, error } = useChanges(before, after);
  const review = useMemo(() => ({ findings: [], comments: signal([]), writing: signal(null), open: false }), []);
  if (error) return <Fault error={error} />;
  if (content?.kind !== 'text') return <p class="soft">{say.comparing}</p>;
  if (content.text === '') return <p class="soft">{say.noFileChanged(before.version)}</p>;
  return (
    <>
      {before.base !== after.base && (
        <p class="soft small" role="note">
          {say.otherBase}
        </p>
      )}
      <Loaded draw={({ PatchWork }) => <PatchWork text={content.text} review={review} name={compareWords({ before, after })} />} />
    </>
  );
}

function TextChanges({ before, after }: Versions) {
  const old = useContent(before);
  const fresh = useContent(after);
  const error = old.error ?? fresh.error;
  if (error) return <Fault error={error} />;
  if (!old.content || !fresh.content) return <p class="soft">{say.comparing}</p>;
  if (old.content.kind !== 'text' || fresh.content.kind !== 'text') return <p class="soft">Only text can be compared.</p>;
  const texts = { before: old.content.text, after: fresh.content.text };
  return <Loaded draw={({ CompareWork }) => <CompareWork {...texts} of={after} label={compareWords({ before, after })} />} />;
}

function Fault({ error }: { error: string }) {
  return (
    <p class="refusal" role="alert">
      {error}
    </p>
  );
}
