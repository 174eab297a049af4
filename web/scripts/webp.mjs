// Encodes pictures as WebP and builds animations from them. The browser does the encoding, so no
// other encoder is needed.

/**
 * Encodes a PNG as WebP, scaled to the given size. If `before` is set, the result shows the left halves of both
 * pictures next to each other.
 */
export async function encode(page, png, { width, height, quality, before }) {
  const text = await page.evaluate(async ({ png, before, width, height, quality }) => {
    const load = async (data) => createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = Object.assign(document.createElement('canvas'), { width, height }), context = canvas.getContext('2d', { alpha: false });
    context.imageSmoothingQuality = 'high';
    context.drawImage(await load(png), before ? width / 2 + 3 : 0, 0, width, height);
    if (before) context.drawImage(await load(before), 0, 0, width / 2 - 3, height, 0, 0, width / 2 - 3, height);
    return canvas.toDataURL('image/webp', quality).split(',')[1];
  }, { png: png.toString('base64'), before: before?.toString('base64'), width, height, quality });
  return Buffer.from(text, 'base64');
}

/** Calls make with lower and lower quality until the result has at most `limit` bytes. */
export async function withinLimit(limit, make) {
  for (const quality of [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]) {
    const made = await make(quality);
    if (made.length <= limit) return made;
  }
  throw new Error(`the picture is larger than ${limit} bytes at every quality`);
}

// An animation is only a container; the pictures stay unchanged. See the WebP container specification:
// RIFF(VP8X, ANIM, ANMF…).

/** @param {{ bytes: Buffer, ms: number }[]} frames lossy stills of the same size @returns {Buffer} */
export function animate(frames, width, height) {
  const head = Buffer.alloc(10);
  head[0] = 0x02; // animated
  head.writeUIntLE(width - 1, 4, 3);
  head.writeUIntLE(height - 1, 7, 3);
  const loop = Buffer.alloc(6); // no background, loops forever
  const body = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', head), chunk('ANIM', loop), ...frames.map((f) => chunk('ANMF', frame(f, width, height)))]);
  return chunk('RIFF', body);
}

function frame({ bytes, ms }, width, height) {
  const head = Buffer.alloc(16);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  head.writeUIntLE(ms, 12, 3);
  head[15] = 0x02; // replaces the previous frame
  return Buffer.concat([head, picture(bytes)]);
}

/** Returns the chunk that contains the VP8 picture of a still. */
function picture(bytes) {
  for (let at = 12; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    const padded = size + (size % 2);
    if (bytes.toString('latin1', at, at + 4).startsWith('VP8 ')) return bytes.subarray(at, at + 8 + padded);
    at += 8 + padded;
  }
  throw new Error('the still is not a lossy WebP, or has transparency');
}

function chunk(name, body) {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}
