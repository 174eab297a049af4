import type { Artifact, Task, Verdict } from '../contracts/protocol.gen.ts';

/** Returns the verdict on a deliverable's files, or undefined if it has none or its task has different files by now. */
export const verdictOn = (artifact: Artifact, task: Task | undefined): Verdict | undefined => (artifact.tree && artifact.tree === task?.tree ? task.verdict : undefined);
