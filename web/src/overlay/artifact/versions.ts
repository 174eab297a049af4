import type { Artifact } from '../../contracts/protocol.gen.ts';

/** Returns all versions of the deliverable that has a version with this id, oldest first; none if the id is unknown. */
export function versionsOf(artifacts: readonly Artifact[], id: string): readonly Artifact[] {
  const byId = new Map(artifacts.map((a) => [a.artifact_id, a]));
  const start = byId.get(id);
  if (!start) return [];
  const rootOf = (a: Artifact): string => {
    const seen = new Set<string>();
    let at = a;
    // A parent may already be archived, and a circular chain must not loop forever.
    while (at.parent && byId.has(at.parent) && !seen.has(at.artifact_id)) {
      seen.add(at.artifact_id);
      at = byId.get(at.parent)!;
    }
    return at.artifact_id;
  };
  const root = rootOf(start);
  return artifacts.filter((a) => rootOf(a) === root).sort((a, b) => a.version - b.version);
}
