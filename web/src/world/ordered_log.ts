/** A bounded list of unique lines in ledger order, newest last; when it is full, the oldest lines are dropped. */
export class OrderedLog<T extends { id: string; seq: number }> {
  private lines: T[] = [];
  private ids = new Set<string>();
  private view: readonly T[] = [];
  private stale = false;

  constructor(private readonly limit: number) {}

  add(line: T): void {
    if (this.ids.has(line.id)) return;
    let at = this.lines.length;
    while (at > 0 && this.lines[at - 1]!.seq > line.seq) at--;
    if (at === 0 && this.lines.length >= this.limit) return;
    this.lines.splice(at, 0, line);
    this.ids.add(line.id);
    if (this.lines.length > this.limit) this.ids.delete(this.lines.shift()!.id);
    this.stale = true;
  }

  clear(): void {
    this.stale ||= this.lines.length > 0;
    this.lines = [];
    this.ids.clear();
  }

  /** Returns the lines. It returns the same array as long as nothing changes. */
  all(): readonly T[] {
    if (this.stale) this.view = [...this.lines];
    this.stale = false;
    return this.view;
  }
}
