/** Returns the request field of the current layout, or null if there is none. */
export const requestField = (): HTMLTextAreaElement | null => document.querySelector<HTMLTextAreaElement>('.request textarea');
