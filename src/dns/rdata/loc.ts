/**
 * LOC: a place on earth (RFC 1876 2 and 3): version, size, precisions, latitude, longitude, altitude, like
 * `52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m`.
 *
 * Text: `d [m [s[.fff]]] N|S d [m [s[.fff]]] E|W alt[m] [size[m] [horizontal[m] [vertical[m]]]]`.
 * Sizes hold one digit and a power of ten; further digits are cut off, as every reader does.
 * Refused: versions besides 0, degrees, minutes, seconds, metres out of range.
 */
import type { Field, FormatRows } from './format.ts';
import type { TokenReader } from './token-reader.ts';
import type { WireReader } from './wire-reader.ts';

/** The equator and the prime meridian, in thousandths of an arc second. */
const zeroAngle = 0x8000_0000;
const unitsPerSecond = 1000;
const unitsPerMinute = 60 * unitsPerSecond;
const unitsPerDegree = 60 * unitsPerMinute;
/** Altitude 0 is 100 km below the reference spheroid, in centimetres. */
const altitudeBaseCentimetres = 10_000_000;
const maxSizeCentimetres = 9_000_000_000;
const locationBytes = 16;

/** Defaults of RFC 1876 3 in centimetres: size, horizontal and vertical precision. */
const defaultSizes = [100, 1_000_000, 1000] as const;

interface Axis {
  readonly label: string;
  readonly degrees: number;
  /** The letters for the positive and the negative direction. */
  readonly directions: readonly [string, string];
}

const latitude: Axis = { label: 'latitude', degrees: 90, directions: ['N', 'S'] };
const longitude: Axis = { label: 'longitude', degrees: 180, directions: ['E', 'W'] };

const label = 'value';

const location: Field = {
  label,
  width: locationBytes,
  parse: (tokens, out) => {
    const rdata = Buffer.alloc(locationBytes);
    rdata.writeUInt32BE(parseAngle(tokens, latitude), 4);
    rdata.writeUInt32BE(parseAngle(tokens, longitude), 8);
    rdata.writeUInt32BE(parseAltitude(tokens), 12);
    const labels = ['size', 'horizontal precision', 'vertical precision'];
    defaultSizes.forEach((defaultSize, index) => {
      const size = tokens.hasMore ? parseSize(tokens, labels[index]!) : defaultSize;
      rdata[1 + index] = sizeByte(size);
    });
    out.add(rdata);
  },
  read: (wire, out) => {
    const rdata = wire.bytes(locationBytes, label);
    if (rdata[0] !== 0) throw wire.refuse('version', 'is 0');
    for (const byte of rdata.subarray(1, 4)) checkSizeByte(wire, byte);
    checkAngle(wire, latitude, rdata.readUInt32BE(4));
    checkAngle(wire, longitude, rdata.readUInt32BE(8));
    out.add(rdata);
  },
  print: (wire) => {
    const rdata = wire.bytes(locationBytes, label);
    const altitude = rdata.readUInt32BE(12) - altitudeBaseCentimetres;
    return [
      printAngle(rdata.readUInt32BE(4), latitude),
      printAngle(rdata.readUInt32BE(8), longitude),
      `${(altitude / 100).toFixed(2)}m`,
      ...Array.from(rdata.subarray(1, 4), printSize),
    ].join(' ');
  },
};

export const locTypes = { LOC: { fields: [location] } } satisfies FormatRows;

function parseAngle(tokens: TokenReader, axis: Axis): number {
  const maxima = [axis.degrees, 59, 59.999];
  const units = [unitsPerDegree, unitsPerMinute, unitsPerSecond];
  let angle = 0;
  for (let part = 0; ; part++) {
    const text = tokens.word(axis.label);
    const direction = axis.directions.indexOf(text.toUpperCase());
    if (direction >= 0 && part > 0) {
      if (angle > axis.degrees * unitsPerDegree) break;
      return direction === 0 ? zeroAngle + angle : zeroAngle - angle;
    }
    const form = part === 2 ? /^\d{1,2}(\.\d{1,3})?$/ : /^\d{1,3}$/;
    if (part > 2 || !form.test(text) || Number(text) > maxima[part]!) {
      const [positive, negative] = axis.directions;
      const order = `degrees up to ${axis.degrees}, minutes, seconds, ${positive} or ${negative}`;
      throw tokens.refuse(axis.label, `is ${order}`, text);
    }
    angle += Math.round(Number(text) * units[part]!);
  }
  throw tokens.refuse(axis.label, `is at most ${axis.degrees} degrees`, 'more');
}

function parseAltitude(tokens: TokenReader): number {
  const text = tokens.word('altitude');
  const centimetres = parseCentimetres(text) + altitudeBaseCentimetres;
  if (centimetres >= 0 && centimetres <= 0xffff_ffff) return centimetres;
  throw tokens.refuse('altitude', 'is metres from -100000.00 to 42849672.95', text);
}

function parseSize(tokens: TokenReader, label: string): number {
  const text = tokens.word(label);
  const centimetres = parseCentimetres(text);
  if (centimetres >= 0 && centimetres <= maxSizeCentimetres) return centimetres;
  throw tokens.refuse(label, 'is metres from 0 to 90000000', text);
}

/** Metres with up to two decimals and maybe an `m`, in centimetres; NaN for other text. */
function parseCentimetres(text: string): number {
  if (!/^-?\d{1,8}(\.\d{0,2})?m?$/i.test(text)) return Number.NaN;
  return Math.round(Number.parseFloat(text) * 100);
}

/** One digit and a power of ten in centimetres, four bits each. */
function sizeByte(centimetres: number): number {
  let digit = centimetres;
  let power = 0;
  while (digit > 9) {
    digit = Math.floor(digit / 10);
    power++;
  }
  return (digit << 4) | power;
}

function checkSizeByte(wire: WireReader, byte: number): void {
  const digit = byte >> 4;
  const power = byte & 15;
  if (byte !== 0 && (digit === 0 || digit > 9 || power > 9)) {
    throw wire.refuse('size', 'is one digit 1 to 9 and a power of ten up to 9');
  }
}

function checkAngle(wire: WireReader, axis: Axis, angle: number): void {
  if (Math.abs(angle - zeroAngle) > axis.degrees * unitsPerDegree) {
    throw wire.refuse(axis.label, `is at most ${axis.degrees} degrees`);
  }
}

function printAngle(angle: number, axis: Axis): string {
  const size = Math.abs(angle - zeroAngle);
  const degrees = Math.floor(size / unitsPerDegree);
  const minutes = Math.floor((size % unitsPerDegree) / unitsPerMinute);
  const seconds = ((size % unitsPerMinute) / unitsPerSecond).toFixed(3);
  return `${degrees} ${minutes} ${seconds} ${axis.directions[angle >= zeroAngle ? 0 : 1]}`;
}

/** Whole metres, or two decimals below one metre. */
function printSize(byte: number): string {
  const metres = ((byte >> 4) * 10 ** (byte & 15)) / 100;
  return metres < 1 ? `${metres.toFixed(2)}m` : `${metres}m`;
}
