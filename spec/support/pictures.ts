/**
 * Pictures of pages. One is kept as a PNG of 256 colours, and compared with what the page looks like now at a quarter
 * of its size: so another build of the browser, which draws the edges of letters a little otherwise, gives the same.
 */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each. */
  readonly bytes: Buffer;
}

/** How many times smaller pictures are when they are compared. */
const shrunken = 4;
/** Of 255: a colour that is so far off is another. */
const farOff = 32;

/** `page` is a blank one, which decodes the picture. */
async function pixelsOf(page: Page, png: Buffer, by = 1): Promise<Pixels> {
  const url = `data:image/png;base64,${png.toString('base64')}`;
  const { width, height, text } = (await page.evaluate(`(async () => {
    const image = new Image();
    image.src = ${JSON.stringify(url)};
    await image.decode();
    const [width, height] = [image.width, image.height].map((each) => Math.ceil(each / ${by}));
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const blob = new Blob([data]);
    const reader = new FileReader();
    const read = new Promise((resolve) => { reader.onload = resolve; });
    reader.readAsDataURL(blob);
    await read;
    return { width, height, text: reader.result.slice(reader.result.indexOf(',') + 1) };
  })()`)) as { width: number; height: number; text: string };
  return { width, height, bytes: Buffer.from(text, 'base64') };
}

/** The share of a picture that looks otherwise in another one, from 0 to 1; 1 for another size. */
export async function differenceOf(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = [await pixelsOf(page, one, shrunken), await pixelsOf(page, other, shrunken)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let far = 0;
  for (let at = 0; at < a.bytes.length; at += 4) {
    const gaps = [0, 1, 2].map((colour) => Math.abs(a.bytes[at + colour]! - b.bytes[at + colour]!));
    if (Math.max(...gaps) > farOff) far++;
  }
  return far / (a.width * a.height);
}

const mostColours = 256;

/** The same picture with 256 colours at most: those that it has most of, and the nearest of these for others. */
export async function smallPng(page: Page, png: Buffer): Promise<Buffer> {
  const { width, height, bytes } = await pixelsOf(page, png);
  const counts = new Map<number, number>();
  const colourAt = (at: number) => bytes.readUIntBE(at, 3);
  for (let at = 0; at < bytes.length; at += 4) {
    const colour = colourAt(at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostColours)
    .map(([colour]) => colour);
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  const indexOf = (colour: number): number => {
    const known = indexes.get(colour);
    if (known !== undefined) return known;
    const distances = palette.map((each) => distance(each, colour));
    const nearest = distances.indexOf(Math.min(...distances));
    indexes.set(colour, nearest);
    return nearest;
  };
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = indexOf(colourAt((y * width + x) * 4));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits for each pixel, which are an index into the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.alloc(palette.length * 3);
  for (const [index, colour] of palette.entries()) colours.writeUIntBE(colour, index * 3, 3);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function distance(one: number, other: number): number {
  return [16, 8, 0].reduce((sum, shift) => {
    const gap = ((one >> shift) & 255) - ((other >> shift) & 255);
    return sum + gap * gap;
  }, 0);
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** A picture as a few hundred bytes: the brightness of squares of `side` pixels, in 16 steps. */
const side = 24;
const steps = 16;
/** Squares that are so many steps apart look otherwise. */
const stepsApart = 2;

/** What a picture looks like from afar, as a text to keep. */
export async function sketchOf(page: Page, png: Buffer): Promise<string> {
  const { width, height, bytes } = await pixelsOf(page, png, side);
  const squares = Buffer.alloc(width * height);
  for (let at = 0; at < squares.length; at++) {
    const [red, green, blue] = [0, 1, 2].map((colour) => bytes[at * 4 + colour]!);
    const brightness = 0.3 * red! + 0.59 * green! + 0.11 * blue!;
    squares[at] = Math.min(steps - 1, Math.floor((brightness / 256) * steps));
  }
  return `${width}x${height} ${deflateSync(squares, { level: 9 }).toString('base64')}`;
}

/** The share of the squares that look otherwise, from 0 to 1; 1 for another size. */
export function sketchesApart(one: string, other: string): number {
  const [[size, a], [otherSize, b]] = [one, other].map((sketch) => {
    const [size, squares = ''] = sketch.split(' ');
    return [size, inflateSync(Buffer.from(squares, 'base64'))] as const;
  }) as [readonly [string, Buffer], readonly [string, Buffer]];
  if (size !== otherSize) return 1;
  let far = 0;
  for (let at = 0; at < a.length; at++) {
    if (Math.abs(a[at]! - b[at]!) >= stepsApart) far++;
  }
  return far / a.length;
}
