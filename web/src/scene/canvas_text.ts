import { cardColors } from '../look/marks.ts';

/** Draws a check mark. */
export function check(pen: CanvasRenderingContext2D, x: number, y: number, size = 1): void {
  pen.strokeStyle = cardColors.stamp;
  pen.lineWidth = 7 * size;
  pen.lineCap = 'round';
  pen.beginPath();
  pen.moveTo(x, y + 12 * size);
  pen.lineTo(x + 10 * size, y + 22 * size);
  pen.lineTo(x + 28 * size, y);
  pen.stroke();
}

/** Breaks text into at most `most` lines of the given width in pixels. A word that is longer than a line is broken. */
export function wrap(pen: CanvasRenderingContext2D, text: string, width: number, most: number): string[] {
  const out: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (pen.measureText(longer).width <= width) { line = longer; continue; }
    if (line !== '') out.push(line);
    line = word;
    while (pen.measureText(line).width > width && line.length > 1) {
      let n = line.length - 1;
      while (n > 1 && pen.measureText(line.slice(0, n)).width > width) n--;
      out.push(line.slice(0, n));
      line = line.slice(n);
    }
  }
  if (line !== '') out.push(line);
  if (out.length <= most) return out;
  return [...out.slice(0, most - 1), `${out[most - 1]!.slice(0, -1)}…`];
}
