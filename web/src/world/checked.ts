import type { Checked, Impact } from '../contracts/protocol.gen.ts';
import * as say from '../contracts/words.gen.ts';

/**
 * Describes in one sentence, with local times, when an agent reported that it was done, when it last edited
 * something and last ran a check, and what that means. model/checked.go follows the same rules;
 * contracts/vectors/checked.json tests both.
 */
export function checkedWords(c: Checked, now: Date): string {
  const at = (ms: number): string => clockWords(new Date(ms), now);
  const edit = say.lastEdit(at(c.edit.at));
  const start = c.done_at ? [say.saidDone(at(c.done_at)), edit] : [edit[0]!.toUpperCase() + edit.slice(1)];
  return `${[...start, ...checkWords(c, at)].join('; ')}: ${c.state}.`;
}

/** Describes when the last check ran, how it ended, and which command came after it. */
function checkWords({ check, command }: Checked, at: (ms: number) => string): string[] {
  if (!check) return [say.noCheckSeen];
  const ran = [say.lastRan(quoted(check), at(check.since ?? check.at)), ...(check.exit_code ? [say.withExitCode(check.exit_code)] : [])].join(' ');
  if (command) return [ran, say.mayHaveChanged(quoted(command), at(command.at))];
  return check.outcome === 'unknown' ? [ran, say.outcomeUnknown] : [ran];
}

function quoted({ what = '' }: Impact): string {
  return what === '' ? say.unknownCommand : `\`${what}\``;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the time of day, with the date if it is not today. */
function clockWords(at: Date, now: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = `${two(at.getHours())}:${two(at.getMinutes())}`;
  return at.toDateString() === now.toDateString() ? time : `${at.getDate()} ${months[at.getMonth()]!} ${time}`;
}
