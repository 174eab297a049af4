import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SceneManifest } from '../contracts/protocol.gen.ts';
import type { Placed } from '../world/campus.ts';
import type { AgentView } from '../world/store.ts';
import { DeskOwners, desksOf } from './desk_places.ts';
import { screenLine } from './desk_props.ts';

const scene = (id: string) => JSON.parse(readFileSync(join(process.cwd(), `../contracts/scenes/${id}.json`), 'utf8')) as SceneManifest;
const house: Placed = { id: '', label: 'House', room: null, manifest: scene('cozy_office_v0'), plot: [0, 0], x: 0, z: 0 };
const studio: Placed = { id: 'room_3', label: 'Shop', room: null, manifest: scene('studio_v0'), plot: [1, 0], x: 15, z: 0 };
const agent = (id: string, poi: string, more: Partial<AgentView> = {}): AgentView => ({ agent_id: id, state: 'WorkingAtPOI', pos: [0, 0, 0], goal: { kind: 'work', poi_id: poi }, ...more });

describe('desk props', () => {
  test('stand at the desks of the house and of studios', () => {
    const desks = desksOf([house, studio]);
    expect(desks.size).toBe(7 + 12);
    expect(desks.get('poi_desk_1_r3')!.at(0, 0, 0)).toEqual([15.95, 0, -1.33]);
    const [x, , z] = desks.get('poi_research_desk_2')!.at(0, 0, 1);
    expect([x, z]).toEqual([expect.closeTo(1.5, 2), expect.closeTo(-2.27, 2)]);
  });

  test('stay at a desk while its owner is away, until someone else sits there', () => {
    const owners = new DeskOwners(), desks = desksOf([house]), ids = (list: AgentView[]) => [...owners.update(list, desks)].map(([poi, a]) => [poi, a.agent_id]);
    expect(ids([agent('agent_a', 'poi_dev_desk_1')])).toEqual([['poi_dev_desk_1', 'agent_a']]);
    expect(ids([agent('agent_a', 'poi_stage')])).toEqual([['poi_dev_desk_1', 'agent_a']]);
    expect(ids([agent('agent_a', 'poi_stage'), agent('agent_b', 'poi_dev_desk_1')])).toEqual([['poi_dev_desk_1', 'agent_b']]);
    expect(ids([agent('agent_c', 'poi_stage', { seat_id: 'anchor_design_desk_1' })])).toEqual([['poi_design_desk_1', 'agent_c']]);
    expect(ids([agent('agent_sub', 'poi_dev_desk_1', { parent_id: 'agent_a' })])).toEqual([]);
  });

  test('show the call in progress, else the status line, without its emoji', () => {
    const view = agent('agent_a', 'poi_dev_desk_1', { status_line: '✏️ a.ts' });
    expect(screenLine({ line: '⚡ ./make test' }, view)).toBe('./make test');
    expect(screenLine(undefined, view)).toBe('a.ts');
    expect(screenLine({}, agent('agent_a', ''))).toBe('');
  });
});
