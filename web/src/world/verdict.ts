import type { Artifact, Task, Verdict } from '../contracts/protocol.gen.ts';

/** Returns the verdict on a deliverable's files; undefined if it has no files, or its task has other files by now. */
export const verdictOn = (artifact: Artifact, task: Task | undefined): Verdict | undefined => (artifact.tree && artifact.tree === task?.tree ? task.verdict : undefined);
