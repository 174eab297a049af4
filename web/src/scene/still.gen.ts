// Written by `npm run capture still`: the room that look/still_*.webp show.
export const stillOf = 'e6a71b2';
