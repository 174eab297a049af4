import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { OverlayDeps } from './deps.ts';
import type { Shell } from './shell.ts';

/** The dependencies and shared state of the overlay's components. */
export interface Office extends OverlayDeps {
  shell: Shell;
}

export const OfficeContext = createContext<Office | null>(null);

export function useOffice(): Office {
  const office = useContext(OfficeContext);
  if (!office) throw new Error('The overlay is not mounted: this component needs an OfficeContext above it.');
  return office;
}
