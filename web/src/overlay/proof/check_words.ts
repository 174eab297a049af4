import type { CheckResult, Task } from '../../contracts/protocol.gen.ts';
import * as say from '../../contracts/words.gen.ts';

/** A check of a task as the receipt shows it. */
export interface CheckRow {
  name: string;
  command: string;
  optional: boolean;
  /** True if the check passed on the task's files and left them as they were. */
  good: boolean;
  words: string;
  result?: CheckResult;
}

/** Returns the rows of a task's receipt: all checks of its repository, each with its result if there is one, then those of its pull request. */
export function checkRows(task: Task): readonly CheckRow[] {
  const [own, hosted] = [(task.checks ?? []).filter((r) => !isHosted(r)), (task.checks ?? []).filter(isHosted)];
  const rows = (task.worktree?.checks ?? []).map(({ name, command, optional = false }) => {
    const result = own.find((r) => r.name === name);
    const problem = result ? problemOf(result, task.tree) : say.checkNotRun;
    return { name, command, optional, good: problem === null, words: problem ?? say.exitCode(0), ...(result && { result }) };
  });
  return [...rows, ...hosted.map((result) => hostedRow(result, task.tree))];
}

const isHosted = (result: CheckResult): boolean => result.by === 'pull_request';

/** Returns the row of a check that the host of a pull request ran. */
function hostedRow(result: CheckResult, tree: string | undefined): CheckRow {
  const { name, command, optional = false } = result;
  const good = problemOf(result, tree) === null;
  const words = result.tree !== tree ? say.checkStale : good ? say.hostPassed : say.hostFailed;
  return { name, command, optional, good, words, result };
}

/** Returns why a result proves nothing about the files; null if it proves them. */
function problemOf(result: CheckResult, tree: string | undefined): string | null {
  if (result.tree !== tree) return say.checkStale;
  if (result.end === 'timeout') return say.checkTimeout;
  if (result.end === 'stopped') return say.checkStopped;
  if (result.end === 'output') return say.checkFlooded;
  if (result.exit_code !== 0) return say.exitCode(result.exit_code);
  return result.tree_after === result.tree ? null : say.checkEdited;
}
