import { describe, expect, test } from 'vitest';
import type { TimelineEvent } from '../contracts/protocol.gen.ts';
import { finaleOf, freshCompletion } from './finale.ts';
import type { FeedRow } from './rows.ts';

const done = (seq: number, ts: number, replay = false): FeedRow => ({ id: `evt_${seq}`, seq, ts, name: 'project_completed', event: { project_id: 'project_p1' } as TimelineEvent, known: true, replay });

describe('the finale', () => {
  test('plays once for a completion that was seen live', () => {
    expect(freshCompletion([done(9, 1000)], 0, 1500)?.seq).toBe(9);
    expect(freshCompletion([done(9, 1000)], 9, 1500)).toBeUndefined();
  });

  test('does not play for viewers that connect or reconnect later', () => {
    expect(freshCompletion([done(9, 1000, true)], 0, 1500)).toBeUndefined();
    expect(freshCompletion([done(9, 1000)], 0, 60_000)).toBeUndefined();
  });

  test('shows what was delivered, by which agent, how long it took and how many questions were answered', () => {
    const finale = finaleOf(done(9, 61_000), {
      projects: [{ project_id: 'project_p1', title: 'Landing page', status: 'completed', created_at: 1000 }],
      tasks: [{ task_id: 'task_t1', project_id: 'project_p1', title: 'Copy', status: 'done', assignee: 'agent_writer_1' }, { task_id: 'task_t2', project_id: 'project_p2', title: 'Other', status: 'done', assignee: 'agent_eng_1' }],
      artifacts: [
        { artifact_id: 'artifact_a1', task_id: 'task_t1', title: 'The copy', type: 'copy', status: 'superseded', created_by: 'agent_writer_1' },
        { artifact_id: 'artifact_a2', task_id: 'task_t1', title: 'The copy', type: 'copy', status: 'approved', created_by: 'agent_writer_1' },
        { artifact_id: 'artifact_a3', task_id: 'task_t2', title: 'Not ours', type: 'code', status: 'approved', created_by: 'agent_eng_1' },
      ] as never,
      decisions: [{ decision_id: 'dec_d1', project_id: 'project_p1', status: 'resolved', prompt: '?', options: [] }, { decision_id: 'dec_d2', project_id: 'project_p1', status: 'cancelled', prompt: '?', options: [] }],
    });
    expect(finale).toEqual({ project_id: 'project_p1', title: 'Landing page', at: 61_000, took: 60_000, answered: 1, deliverables: [{ artifact_id: 'artifact_a2', title: 'The copy', type: 'copy' }], crew: ['agent_writer_1'] });
  });
});
