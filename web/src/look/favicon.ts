/** Returns the URL of a favicon that shows the number of open needs. */
export function countedIcon(count: number): string {
  const words = count > 9 ? '9+' : String(count);
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#d5704f"/>' +
    '<path d="M6 14 16 7l10 7v11a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1z" fill="#fffaf1"/>' +
    '<circle cx="22" cy="22" r="10" fill="#b93a31" stroke="#fffaf1" stroke-width="2"/>' +
    `<text x="22" y="27" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${words.length > 1 ? 11 : 14}" fill="#fffaf1">${words}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
