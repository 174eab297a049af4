import { useOffice } from '../office.ts';

/** Returns the title of a need's project if there are several live projects, else null. */
export function useProjectOf(id: string | undefined): string | null {
  const { store } = useOffice();
  const projects = store.projects.value;
  const live = projects.filter((p) => p.status !== 'completed' && p.status !== 'archived');
  return live.length > 1 ? (projects.find((p) => p.project_id === id)?.title ?? null) : null;
}
