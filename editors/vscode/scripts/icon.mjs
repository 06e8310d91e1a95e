// Draws media/icon.png: a kernel's figures before and after, the second taller. Written without an image library: the shapes are a few
// rectangles, sampled 16 times a pixel, and a PNG is a handful of zlib-packed chunks.
import { writeFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';

const SIZE = 256, SAMPLES = 4;

const rounded = (x0, y0, x1, y1, r) => (x, y) => {
  const dx = Math.max(x0 + r - x, x - (x1 - r), 0), dy = Math.max(y0 + r - y, y - (y1 - r), 0);
  return x >= x0 && x < x1 && y >= y0 && y < y1 && dx * dx + dy * dy <= r * r;
};
const triangle = (cx, top, half, height) => (x, y) => y >= top && y < top + height && Math.abs(x - cx) <= (half * (y - top)) / height;

// The shapes from back to front, each with its colour.
const shapes = [
  [rounded(8, 8, 248, 248, 44), [0x1b, 0x22, 0x2c]],
  [rounded(48, 204, 208, 214, 5), [0x5b, 0x68, 0x7a]],
  [rounded(62, 136, 110, 204, 8), [0x8f, 0xa1, 0xb8]],
  [rounded(146, 104, 194, 204, 8), [0xe8, 0x6a, 0x3a]],
  [triangle(170, 48, 32, 40), [0xe8, 0x6a, 0x3a]],
];

function pixel(px, py) {
  const sum = [0, 0, 0, 0];
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const x = px + ((i % SAMPLES) + 0.5) / SAMPLES, y = py + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES;
    const hit = shapes.findLast(([inside]) => inside(x, y));
    if (hit) hit[1].concat(255).forEach((c, n) => (sum[n] += c));
  }
  const hits = sum[3] / 255 || 1;
  return [...sum.slice(0, 3).map(c => Math.round(c / hits)), Math.round(sum[3] / SAMPLES ** 2)];
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]), out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

const rows = Buffer.alloc(SIZE * (SIZE * 4 + 1));
for (let y = 0; y < SIZE; y++)
  for (let x = 0; x < SIZE; x++) rows.set(pixel(x, y), y * (SIZE * 4 + 1) + 1 + x * 4);

const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 6, 0, 0, 0], 8); // 8 bits a channel, RGBA
writeFileSync(
  new URL('../media/icon.png', import.meta.url),
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', header), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]),
);
