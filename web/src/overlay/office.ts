import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Contents } from './artifact/content.ts';
import type { OverlayDeps } from './deps.ts';
import type { Shell } from './shell.ts';

/** The dependencies and shared state of the overlay's components. */
export interface Office extends OverlayDeps {
  shell: Shell;
  contents: Contents;
}

export const OfficeContext = createContext<Office | null>(null);

export function useOffice(): Office {
  const office = useContext(OfficeContext);
  if (!office) throw new Error('The overlay is not mounted: this component needs an OfficeContext above it.');
  return office;
}
