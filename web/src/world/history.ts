import type { AgentGoalMessage, AgentStatus, EventMessage, SnapshotMessage, Vec3 } from '../contracts/protocol.gen.ts';
import { noRows, same, type Rows } from './draft.ts';
import { foldEvent, foldGoal, foldSnapshot } from './fold.ts';
import { gap, position } from './position.ts';
import type { AgentView, Motion } from './rows.ts';

type Change = EventMessage | AgentGoalMessage;

// How many records after the newest snapshot are kept. Snapshots arrive twice a second, so
// this limit is reached only when they stop.
const limitTail = 4096;
// How far a motion may deviate from the snapshot's position, in metres.
const agreeWithin = 0.5;

/**
 * The office's state: the newest snapshot plus the records after it, in ledger order regardless of the order of
 * arrival. An older snapshot never reverts a newer record, and a record that the snapshot contains is not applied
 * twice.
 */
export class History {
  rows: Rows = noRows;
  readonly motions = new Map<string, Motion>();
  /** The newest status of each guest, kept because snapshots do not include the evidence for it. */
  readonly statuses = new Map<string, AgentStatus & { seq: number }>();
  private base: Rows = noRows;
  private baseSeq = 0;
  private baseTs = 0;
  private tail: Change[] = [];

  /** Reports whether the newest snapshot contains the record with this seq. */
  contains(seq: number): boolean {
    return seq <= this.baseSeq;
  }

  snapshot(m: SnapshotMessage): void {
    const seq = m.payload.seq ?? 0;
    if (seq < this.baseSeq || (seq === this.baseSeq && m.ts < this.baseTs)) return;
    // Folding a full snapshot over the current rows keeps the identity of unchanged rows.
    const seen = m.payload.mode === 'delta' ? this.base : this.rows;
    this.base = foldSnapshot(seen, m.payload);
    this.baseSeq = seq;
    this.baseTs = m.ts;
    for (const agent of m.payload.agents) this.check(agent);
    if (m.payload.mode !== 'delta') this.forget();
    this.tail = this.tail.filter((change) => seqOf(change) > seq);
    this.refold();
  }

  record(m: Change): void {
    const seq = seqOf(m);
    if (seq === 0) return;
    if (m.type === 'agent_goal') this.move(m, seq);
    else this.recordStatus(m, seq);
    if (this.contains(seq)) return;
    const newest = this.tail.length === 0 ? this.baseSeq : seqOf(this.tail.at(-1)!);
    if (seq > newest) {
      this.tail.push(m);
      this.rows = foldChange(this.rows, m);
      this.trim();
      return;
    }
    const at = this.tail.findIndex((change) => seqOf(change) >= seq);
    if (seqOf(this.tail[at]!) === seq) return;
    this.tail.splice(at, 0, m);
    this.refold();
  }

  reset(): void {
    this.rows = this.base = noRows;
    this.baseSeq = this.baseTs = 0;
    this.tail = [];
    this.motions.clear();
    this.statuses.clear();
  }

  private refold(): void {
    this.rows = this.tail.reduce(foldChange, this.base);
  }

  private trim(): void {
    while (this.tail.length > limitTail) {
      const oldest = this.tail.shift()!;
      this.base = foldChange(this.base, oldest);
      this.baseSeq = seqOf(oldest);
    }
  }

  private move(m: AgentGoalMessage, seq: number): void {
    const g = m.payload;
    if ((this.motions.get(g.agent_id)?.seq ?? 0) >= seq) return;
    this.motions.set(g.agent_id, {
      seq,
      path: g.path,
      speed_mps: g.speed_mps,
      started_at: g.started_at ?? m.ts,
      facing: g.facing,
      state: g.state,
      goal: g.goal,
      why: g.why,
    });
    const row = this.base.agents.find((agent) => agent.agent_id === g.agent_id);
    if (row) this.check(row);
  }

  private recordStatus(m: EventMessage, seq: number): void {
    const { status, name, agent_id } = m.payload;
    if (name === 'agent_left' && agent_id) this.statuses.delete(agent_id);
    if (name !== 'agent_status' || !status || (this.statuses.get(status.agent_id)?.seq ?? 0) >= seq) return;
    this.statuses.set(status.agent_id, { ...status, seq });
  }

  /** Removes the motions and statuses of agents that have left. */
  private forget(): void {
    const here = new Set(this.base.agents.map((row) => row.agent_id));
    for (const kept of [this.motions, this.statuses]) {
      for (const [id, { seq }] of kept) if (!here.has(id) && this.contains(seq)) kept.delete(id);
    }
  }

  /** Drops an agent's motion if the snapshot contradicts it, which means that a newer goal was missed. */
  private check(row: AgentView): void {
    const motion = this.motions.get(row.agent_id);
    if (!motion || !this.contains(motion.seq)) return;
    const at: Vec3 = position({ ...row, motion }, this.baseTs).pos;
    const confirmed = same(motion.goal, row.goal) && (motion.state ?? row.state) === row.state && gap(at, row.pos) < agreeWithin;
    if (!confirmed) this.motions.delete(row.agent_id);
  }
}

function foldChange(rows: Rows, m: Change): Rows {
  return m.type === 'event' ? foldEvent(rows, m.payload, m.ts) : foldGoal(rows, m.payload);
}

function seqOf(m: Change): number {
  return m.payload.seq ?? 0;
}
