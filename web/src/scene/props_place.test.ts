import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SceneManifest, Task } from '../contracts/protocol.gen.ts';
import { starterSpots } from './props_starter.ts';
import { laneOf, objectOf, onShelf, pin, shelve, standTrophies, trophyKind } from './props_place.ts';

const scene = JSON.parse(readFileSync('../contracts/scenes/cozy_office_v0.json', 'utf8')) as SceneManifest;
const shelf = objectOf(scene, 'delivery_shelf')!, board = objectOf(scene, 'task_board')!;
const ids = (n: number) => Array.from({ length: n }, (_, i) => `art_${i}`);
const task = (i: number, status: Task['status']): Task => ({ task_id: `task_${i}`, project_id: 'p', title: `Task ${i}`, status, updated_at: i });

describe('the delivery shelf', () => {
  for (const n of [1, 9, 10, 36]) {
    it(`shows ${n} boxes, each in a place of its own`, () => {
      const { boxes, more } = shelve(shelf, ids(n));
      expect(boxes).toHaveLength(n);
      expect(more).toBe(0);
      expect(new Set(boxes.map(b => b.pos.map(v => v.toFixed(2)).join())).size).toBe(n);
      for (const b of boxes) {
        expect(Math.abs(b.pos[0] - shelf.pos[0])).toBeLessThan(1.05);
        expect(b.pos[1]).toBeGreaterThan(0.1);
        expect(b.pos[1]).toBeLessThan(1.72);
      }
    });
  }

  it('puts the newest on the middle board and counts what does not fit', () => {
    const { boxes, more } = shelve(shelf, ids(40));
    expect(boxes[0]!.pos[1]).toBeCloseTo(0.65, 1);
    expect(boxes).toHaveLength(36);
    expect(more).toBe(4);
  });

  it('holds only what is waiting for a person', () => {
    const of = (status: string) => onShelf({ artifact_id: 'a', project_id: 'p', type: 'code', version: 1, status: status as 'created' });
    expect(['created', 'delivered', 'in_review', 'approved', 'changes_requested', 'superseded'].filter(of)).toEqual(['delivered', 'in_review']);
  });
});

describe('the wall board', () => {
  it('has a column for each lane and never two cards in one place', () => {
    const statuses = ['planned', 'in_progress', 'blocked', 'review', 'done', 'cancelled'] as const;
    const cards = pin(board, Array.from({ length: 60 }, (_, i) => task(i, statuses[i % 6]!)));
    expect(new Set(cards.map(c => c.lane))).toEqual(new Set(['planned', 'doing', 'review', 'done']));
    expect(new Set(cards.map(c => `${c.pos[0].toFixed(2)} ${c.pos[1].toFixed(2)}`)).size).toBe(cards.length);
    const x = (lane: string) => cards.find(c => c.lane === lane)!.pos[0];
    expect([x('planned'), x('doing'), x('review'), x('done')]).toEqual([x('planned'), x('doing'), x('review'), x('done')].toSorted((a, b) => a - b));
  });

  it('counts the cards behind the last one', () => {
    const cards = pin(board, Array.from({ length: 30 }, (_, i) => task(i, 'planned')));
    expect(cards).toHaveLength(8);
    expect(cards.at(-1)!.more).toBe(22);
    expect(cards[0]!.id).toBe('task_29');
  });

  it('works with fewer columns', () => {
    const cards = pin({ ...board, style: { columns: ['a', 'b'] } }, [task(1, 'planned'), task(2, 'in_progress'), task(3, 'review'), task(4, 'done')]);
    expect(cards).toHaveLength(4);
    expect(laneOf('unheard_of')).toBeNull();
  });
});

describe('trophies', () => {
  it('are of the kind that their id names', () => {
    expect(trophyKind('decor_trophy_cup_gold_1')).toBe('cup_gold');
    expect(trophyKind('decor_trophy_espresso_machine_2')).toBe('espresso_machine');
    expect(trophyKind('decor_anything')).toBe('star');
  });

  it('stand at their anchors; one with an anchor of another scene gets a free one', () => {
    const decor = [
      { decor_id: 'decor_trophy_globe_1', anchor_id: 'anchor_elsewhere', unlocked_by_project_id: 'p' },
      { decor_id: 'decor_trophy_star_2', anchor_id: scene.decor_anchors[0]!.id, unlocked_by_project_id: 'q' },
    ];
    const spots = standTrophies(scene, decor);
    expect(spots.map(s => s.pos)).toEqual([scene.decor_anchors[1]!.pos, scene.decor_anchors[0]!.pos]);
  });
});

describe('starter decor', () => {
  const none = { tasks: [], artifacts: [], decor: [] };
  const at = (real: Parameters<typeof starterSpots>[3]) => starterSpots(scene, shelf, board, real);

  it('furnishes a new office', () => {
    const { notes, presents, dolls, plinths } = at(none);
    expect(plinths).toHaveLength(scene.decor_anchors.length - 4);
    expect([notes.length, presents.length, dolls.length]).toEqual([8, 4, 4]);
  });

  it('makes way for real rows and never shares a place with one', () => {
    expect(at({ ...none, tasks: [task(1, 'cancelled')] }).notes).toHaveLength(8);
    expect(at({ ...none, tasks: [task(1, 'planned')] }).notes).toHaveLength(0);
    for (const n of [1, 4, 6, 9, 12]) {
      const artifacts = ids(n).map(id => ({ artifact_id: id, project_id: 'p', type: 'code', version: 1, status: 'in_review' as const }));
      const boxes = new Set(shelve(shelf, ids(n)).boxes.map(b => b.pos.map(v => v.toFixed(2)).join()));
      for (const p of at({ ...none, artifacts }).presents) expect(boxes.has(p.pos.map(v => v.toFixed(2)).join()), String(n)).toBe(false);
    }
    const decor = scene.decor_anchors.map((a, i) => ({ decor_id: `decor_${i}`, anchor_id: a.id, unlocked_by_project_id: 'p' }));
    expect(at({ ...none, decor: decor.slice(0, -1) as never }).dolls).toHaveLength(1);
    expect(at({ ...none, decor: decor as never }).dolls).toHaveLength(0);
    expect(at({ ...none, decor: decor as never }).plinths).toHaveLength(0);
  });
});
