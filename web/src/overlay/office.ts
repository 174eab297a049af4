import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OverlayDeps } from './deps.ts';
import type { Shell } from './shell.ts';

/** Everything a component of the overlay may use. */
export interface Office extends OverlayDeps {
  shell: Shell;
}

export const OfficeContext = createContext<Office | null>(null);

export function useOffice(): Office {
  const office = useContext(OfficeContext);
  if (!office) throw new Error('The overlay is not mounted: this component needs an OfficeContext above it.');
  return office;
}
