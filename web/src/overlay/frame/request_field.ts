/** The field for requests, wherever the layout put it. */
export const requestField = (): HTMLTextAreaElement | null => document.querySelector<HTMLTextAreaElement>('.request textarea');
