import { FileText, Terminal } from 'lucide';
import type { ComponentChildren } from 'preact';
import { duration } from '../../hud/label.ts';
import { Icon } from '../kit/icon.tsx';
import { Words } from '../kit/words.tsx';
import { LineText } from './line_text.tsx';
import type { Content, DiffFile } from './content.ts';
import * as say from '../../contracts/words.gen.ts';

const kindWords = { text: 'Text', markdown: 'Document', json: 'JSON' };

/** Describes the content on one line: for example its path, the number of lines, or the exit code. */
export function HeadWords({ content, name, took }: { content: Content; name?: string | undefined; took?: number | undefined }) {
  switch (content.kind) {
    case 'diff':
      return content.files.length === 1 ? <FileWords file={content.files[0]!} name={name} /> : <Counted files={content.files} />;
    case 'terminal':
      return (
        <>
          <Icon of={Terminal} size={14} />
          {content.exit !== undefined && <span class={content.exit > 0 ? 'tag bad' : 'tag'}>{say.exitCode(content.exit)}</span>}
          {content.exit === undefined && content.command !== undefined && content.out.length > 0 && <span class="tag">exit code unknown</span>}
          {content.command === undefined && <span>Terminal output</span>}
          {took !== undefined && <span class="soft">{duration(took)}</span>}
        </>
      );
    case 'file':
      return (
        <Path path={content.path} name={name}>
          {content.area && <span class="soft">{`L${content.area[0]}–L${content.area[1]}`}</span>}
        </Path>
      );
    default:
      return <Words class="clip">{name ?? kindWords[content.kind]}</Words>;
  }
}

function Path({ path, name = path, children }: { path: string; name?: string | undefined; children?: ComponentChildren }) {
  return (
    <>
      <Icon of={FileText} size={14} />
      <bdi class="work-path" title={path}>
        <LineText text={name} chars={1000} />
      </bdi>
      {children}
    </>
  );
}

/** Shows a file in a diff: its name, the kind of change, and the number of lines. */
export function FileWords({ file, name }: { file: DiffFile; name?: string | undefined }) {
  return (
    <Path path={file.path} name={name}>
      {say.fileChanges[file.change] && <span class="tag">{say.fileChanges[file.change]}</span>}
      {file.from !== undefined && (
        <span class="soft">
          <Words>{say.fromFile(file.from)}</Words>
        </span>
      )}
      {file.binary && <span class="tag">{say.binaryFile}</span>}
      {file.all && <span class="tag state-needs">{say.allOccurrences}</span>}
      <Count added={file.added} removed={file.removed} />
    </Path>
  );
}

function Counted({ files }: { files: readonly DiffFile[] }) {
  const sum = (of: 'added' | 'removed') => files.reduce((total, f) => total + f[of], 0);
  return (
    <>
      <span>{say.files(files.length)}</span>
      <Count added={sum('added')} removed={sum('removed')} />
    </>
  );
}

/** Shows how many lines were added and removed. */
export function Count({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="work-count">
      <span class="count-added" title={added === 1 ? '1 line added' : `${added} lines added`}>
        +{added}
      </span>
      <span class="count-removed" title={removed === 1 ? '1 line removed' : `${removed} lines removed`}>
        −{removed}
      </span>
    </span>
  );
}
