import { Bot, MessageCircle } from 'lucide';
import { LIMIT_REVIEW_FILES } from '../../contracts/limits.gen.ts';
import { Icon } from '../kit/icon.tsx';
import type { Change, DiffFile } from './content.ts';
import { Count } from './head.tsx';
import { LineText } from './line_text.tsx';
import type { Review, Spot } from './review.ts';
import * as say from '../../contracts/words.gen.ts';

const letters: Readonly<Record<Change, string>> = { edit: 'M', write: 'M', append: 'M', create: 'A', delete: 'D', rename: 'R' };
const letterWords: Readonly<Record<string, string>> = { M: 'modified', A: 'added', D: say.fileChanges.delete!, R: say.fileChanges.rename! };

/** Lists a patch's files, each with its name, the kind of change, and the number of lines, findings and comments. */
export function FileList({ files, review, onPick }: { files: readonly DiffFile[]; review: Review; onPick: (file: number) => void }) {
  const more = files.length - LIMIT_REVIEW_FILES;
  return (
    <nav class="patch-files" aria-label="Files">
      <ul>
        {files.slice(0, LIMIT_REVIEW_FILES).map((file, i) => {
          const letter = letters[file.change];
          const within = ({ path }: Spot) => path === file.path || path === file.from;
          const found = review.findings.filter(within).length;
          const said = review.comments.value.filter(within).length;
          return (
            <li key={i}>
              <button type="button" class="patch-file" title={file.from === undefined ? file.path : `${file.from} → ${file.path}`} onClick={() => onPick(i)}>
                <span class={`patch-letter patch-${letter}`} title={letterWords[letter]}>
                  <span aria-hidden="true">{letter}</span>
                  <span class="unseen">{letterWords[letter]} </span>
                </span>
                <bdi class="patch-name">
                  <LineText text={file.path} chars={1000} />
                </bdi>
                {found > 0 && (
                  <span class="patch-said" title={say.findings(found)}>
                    <Icon of={Bot} size={12} />
                    {found}
                  </span>
                )}
                {said > 0 && (
                  <span class="patch-said" title={said === 1 ? '1 comment' : `${said} comments`}>
                    <Icon of={MessageCircle} size={12} />
                    {said}
                  </span>
                )}
                {file.binary ? <span class="soft">{say.binaryFile}</span> : <Count added={file.added} removed={file.removed} />}
              </button>
            </li>
          );
        })}
      </ul>
      {more > 0 && <p class="soft small">{say.moreFiles(more)}</p>}
    </nav>
  );
}
