// Written by `npm run capture still`: the room that look/still_*.webp show.
export const stillOf = '54a66a30';
