/** Returns the field for requests, in any layout. */
export const requestField = (): HTMLTextAreaElement | null => document.querySelector<HTMLTextAreaElement>('.request textarea');
