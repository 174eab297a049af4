// Written by `npm run capture still`: the hash of the room in look/still_*.webp.
export const stillOf = '54a66a30';
