import { describe, expect, test } from 'vitest';
import { visitor } from '../look/identity.ts';
import type { AgentView, ChatRow } from '../world/store.ts';
import { Cast } from './people_cast.ts';
import { speakerOf, turnHeads } from './people_gaze.ts';

const said = (from: string, ts: number, replay = false): ChatRow => ({ id: `${from}${ts}`, seq: ts, ts, thread_id: 'bd_main', from, to: 'user', text: 'Done', replay });

describe('heads', () => {
  test('turn to an agent that spoke just now, not to the user or to history', () => {
    expect(speakerOf([said('agent_a', 1000), said('user', 2000)], 3000)).toBe('agent_a');
    expect(speakerOf([said('agent_a', 1000)], 60_000)).toBeUndefined();
    expect(speakerOf([said('agent_a', 1000, true)], 1001)).toBeUndefined();
  });

  test('of free people nearby turn; those of busy or distant people do not', () => {
    const cast = new Cast(), add = (id: string, x: number, z: number) => Object.assign(cast.add(id, 'agent', visitor(id, false)), { x, z, heading: 0 });
    const loud = add('agent_loud', 2, 2), free = add('agent_free', 0, 0), busy = add('agent_busy', 1, 0), far = add('agent_far', 0, -9), away = add('agent_away', 2, 5);
    busy.pose = 'type';
    turnHeads(cast, 1000, 'agent_loud');
    expect(free.gaze).toBeCloseTo(Math.PI / 4);
    for (const p of [loud, busy, far, away]) expect(p.gaze, p.id).toBe(0);
    turnHeads(cast, 2000);
    expect(free.gaze).toBe(0);
  });

  test('of waiting agents do not turn to a player', () => {
    const cast = new Cast(), waits = cast.add('agent_a', 'agent', visitor('agent_a', false)), me = cast.add('player_1', 'player', visitor('player_1', true));
    me.x = 1;
    waits.pose = 'wait';
    waits.view = { motion: { goal: { kind: 'go_to_player', player_id: 'player_1' } } } as AgentView;
    turnHeads(cast, 1000);
    expect(waits.gaze).toBe(0);
  });
});
