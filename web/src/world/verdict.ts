import type { Artifact, Task, Verdict } from '../contracts/protocol.gen.ts';

/** Returns the verdict on a deliverable's files, or undefined if the task's files have changed since the delivery. */
export const verdictOn = (artifact: Artifact, task: Task | undefined): Verdict | undefined => (artifact.tree && artifact.tree === task?.tree ? task.verdict : undefined);
