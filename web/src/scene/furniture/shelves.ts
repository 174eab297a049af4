import type { Builder } from './item.ts';
import { books, bush } from './small.ts';

/** A bookshelf; its back is at -z. */
export const bookshelf: Builder = (k, o) => {
  const rows = o.number('rows', 4), w = o.w, h = rows * 0.44 + 0.12, wood = o.paint('accent', 'wood_light');
  k.m.box(w, h, 0.03, 'bookshelf_back', 0, 0, -0.15, 0.006, { ao: 0.05 });
  for (const sx of [-1, 1]) k.m.box(0.05, h, 0.34, wood, sx * (w / 2 - 0.025), 0, 0, 0.012);
  for (let i = 0; i <= rows; i++) k.m.box(w, 0.045, 0.34, wood, 0, 0.06 + i * 0.44, 0, 0.012);
  for (let i = 0; i < rows; i++) {
    const y = 0.105 + i * 0.44;
    if (i === 1) { books(k, -w / 2 + 0.07, 0.05, y, 0, 0.32); bush(k, w * 0.28, y, 0.02, 0.1, 'leaf_1', 'pot_1'); } else books(k, -w / 2 + 0.07, w / 2 - 0.06, y, 0, 0.33);
  }
  if (o.flag('bush')) bush(k, w * 0.24, h, 0, 0.12, 'leaf_4', 'pot_3');
};

/** The cabinet and the lit boards for trophies; props_trophy.ts draws the trophies. */
export const trophyShelf: Builder = (k, o) => {
  const w = o.w, [low = 0.73, ...boards] = o.numbers('boards', [0.73, 1.4, 2]), cabinet = o.paint('cabinet', 'wood_mid'), top = o.paint('top', 'wood_light');
  k.m.box(w - 0.1, low - 0.11, 0.38, cabinet, 0, 0.06, 0.22, 0.02);
  k.m.box(w - 0.16, 0.06, 0.34, 'wood_dark', 0, 0, 0.2, 0.01);
  for (let i = -1; i <= 1; i++) {
    k.m.box(0.66, low - 0.23, 0.02, top, i * 0.72, 0.12, 0.415, 0.015, { ao: 0.1 });
    k.m.box(0.52, low - 0.37, 0.01, top, i * 0.72, 0.19, 0.428, 0.008, { ao: 0.1, lift: 1.05 });
    k.g.add(k.shape.sphere(0.022, 8, 6), 'gold', { p: [i * 0.72 + 0.29, 0.4, 0.43] });
  }
  k.m.box(w, 0.05, 0.44, top, 0, low - 0.05, 0.22, 0.018);
  k.hung(() => {
    for (const y of boards) {
      k.m.box(w - 0.2, 0.05, 0.28, top, 0, y - 0.05, 0.15, 0.015);
      for (const x of [-0.85, 0.85]) k.m.box(0.03, 0.12, 0.2, 'dark', x, y - 0.16, 0.12, 0.006);
      k.e.box(w - 0.4, 0.018, 0.03, 'strip', 0, y - 0.068, 0.26, 0.003, { ao: 0 });
    }
    const high = boards.at(-1) ?? low;
    if (o.flag('books')) books(k, -w / 2 + 0.2, -0.35, high, 0.15, 0.26);
    if (o.flag('bush')) bush(k, 0.42, high, 0.15, 0.1, 'leaf_1', 'pot_2');
  });
};

/** The delivery shelf: empty compartments, a sign and a plant. props_shelf.ts draws the boxes. */
export const deliveryShelf: Builder = (k, o) => {
  const w = o.w, wood = o.paint('accent', 'wood_light'), sign = o.paint('sign', 'teal'), boards = o.numbers('boards', [0.11, 0.65, 1.19]), columns = Math.max(1, o.number('columns', 3));
  const h = (boards.at(-1) ?? 1.19) + 0.53;
  k.m.box(w, h, 0.03, 'shelf_back', 0, 0, 0.04, 0.006, { ao: 0.06 });
  for (let i = 0; i <= columns; i++) k.m.box(0.05, h, 0.46, wood, -w / 2 + 0.025 + (i * (w - 0.05)) / columns, 0, 0.26, 0.012);
  for (const y of [...boards, h + 0.01]) k.m.box(w, 0.05, 0.46, wood, 0, y - 0.05, 0.26, 0.012);
  for (let c = 0; c < columns; c++) for (const y of boards) k.m.box(0.12, 0.035, 0.008, 'paper_warm', -w / 2 + 0.025 + ((c + 0.5) * (w - 0.05)) / columns, y - 0.042, 0.492, 0.002, { ao: 0 });
  const y = h + 0.12;
  for (const sx of [-0.4, 0.4]) k.m.box(0.03, 0.12, 0.03, 'dark', sx, h, 0.14, 0.006);
  k.m.box(1, 0.26, 0.06, sign, 0, y, 0.14, 0.02);
  k.m.box(0.14, 0.11, 0.02, 'cardboard', -0.32, y + 0.07, 0.175, 0.006, { ao: 0 });
  k.m.box(0.03, 0.112, 0.022, 'tape', -0.32, y + 0.07, 0.176, 0.004, { ao: 0 });
  for (let i = 0; i < 4; i++) k.m.box(0.1, 0.05, 0.012, 'cream', -0.1 + i * 0.14, y + 0.105, 0.175, 0.004, { ao: 0 });
  if (o.flag('bush')) bush(k, w / 2 - 0.19, h + 0.01, 0.24, 0.12, 'leaf_2', 'pot_1');
};
