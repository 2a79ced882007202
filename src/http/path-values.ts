/** Numbers in paths. */
import { Problem } from '../base/problem.ts';

const digits = /^-?\d{1,10}$/;

/** An identifier in a path: an int32, or INVALID_INPUT. */
export function parseId(text: string): number {
  const id = digits.test(text) ? Number(text) : Number.NaN;
  if (id === (id | 0)) return id;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not an id; ids are whole numbers`);
}

/** A serial in a path: 0 to the greatest int32, or INVALID_INPUT. */
export function parseSerial(text: string): number {
  const serial = digits.test(text) ? Number(text) : Number.NaN;
  if (serial >= 0 && serial === (serial | 0)) return serial;
  throw new Problem('INVALID_INPUT', `'${text.slice(0, 60)}' is not a serial`);
}
