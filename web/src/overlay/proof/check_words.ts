import { LIMIT_CHECK_OUTPUT } from '../../contracts/limits.gen.ts';
import type { Check, CheckResult, Task } from '../../contracts/protocol.gen.ts';
import * as say from '../../contracts/words.gen.ts';
import { duration } from '../../hud/label.ts';

/** A task's check as the receipt shows it. */
export interface CheckRow {
  name: string;
  command: string;
  optional: boolean;
  /** True if the check passed on the task's files and left them as they were. */
  good: boolean;
  words: string;
  result?: CheckResult;
}

/**
 * Returns the rows of a task's receipt: all of its repository's checks, each with its result if there is one, then
 * its pull request's checks.
 */
export function checkRows(task: Task): readonly CheckRow[] {
  const [own, hosted] = [(task.checks ?? []).filter((r) => !isHosted(r)), (task.checks ?? []).filter(isHosted)];
  const rows = (task.worktree?.checks ?? []).map((check) => checkRow(check, own.find((r) => r.name === check.name), task.tree));
  return [...rows, ...hosted.map((result) => checkRow(result, result, task.tree))];
}

const isHosted = (result: CheckResult): boolean => result.by === 'pull_request';

function checkRow({ name, command, optional = false }: Check, result: CheckResult | undefined, tree: string | undefined): CheckRow {
  if (!result) return { name, command, optional, good: false, words: say.checkNotRun };
  return { name, command, optional, good: passed(result) && result.tree === tree, words: outcome(result, tree), result };
}

const passed = (r: CheckResult): boolean => r.end === 'exited' && r.exit_code === 0 && r.tree === r.tree_after;

/**
 * Describes how a check ended, and whether it ran on files other than those in tree. contracts/outcome.go follows the
 * same rules; contracts/vectors/outcomes.json tests both.
 */
function outcome(result: CheckResult, tree: string | undefined): string {
  if (result.end === 'not_run') return result.tree === tree ? say.checkUnproven(result.reason ?? '') : say.checkNotRun;
  const words = ended(result);
  return result.tree === tree || words === say.checkEdited ? words : say.checkStale(words);
}

function ended(r: CheckResult): string {
  if (isHosted(r)) return passed(r) ? say.hostPassed : say.hostFailed;
  if (r.end === 'timeout') return say.checkTimeout(duration(r.duration_ms));
  if (r.end === 'stopped') return say.checkStopped;
  if (r.end === 'output') return say.checkFlooded(LIMIT_CHECK_OUTPUT >> 20);
  if (r.exit_code !== 0) return r.kind ? say.checkFailed : say.checkExit(r.exit_code);
  if (!r.tree_after) return say.checkUnread;
  return r.tree_after === r.tree ? say.checkPassed : say.checkEdited;
}

/**
 * Returns the reason that checks of a task's files did not run, for example because the files contain another
 * repository; empty if there is no such check.
 */
export function whyUnproven(task: Task): string {
  return (task.checks ?? []).find((r) => r.end === 'not_run' && r.tree === task.tree)?.reason ?? '';
}
