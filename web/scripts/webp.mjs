// Builds an animated WebP from stills. It writes only the container; the pictures stay
// unchanged. See the WebP container specification: RIFF(VP8X, ANIM, ANMF…).

/** @param {{ bytes: Buffer, ms: number }[]} frames lossy stills of one size @returns {Buffer} */
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

/** Returns the VP8 chunk of a still, which contains its picture. */
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
