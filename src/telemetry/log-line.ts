/**
 * Log lines: fields made harmless, and the text form of an event.
 *
 * Fields come from anywhere, so they are first turned into plain data that no printer can fail on
 * (big integers, cycles, getters that throw) and that holds no line end or terminal control. Bytes
 * are shown as a length only: a log is no place for keys and zone content.
 */
import { Memory } from '../base/memory.ts';

/** Data that JSON can say. */
type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** Depth at which nested fields are cut; an event that needs more says too much. */
const greatestDepth = 4;

/** Names the line itself uses; a field of such a name is shown with an underscore behind it. */
const reservedNames = new Set(['time', 'level', 'event']);

/** Copies fields as plain data (eachPlain). */
export function plainFields(
  fields: Record<string, unknown>,
  withStacks: boolean,
): Record<string, Plain> {
  const plain: Record<string, Plain> = {};
  eachPlain(fields, withStacks, (name, value) => {
    plain[name] = value;
  });
  return plain;
}

/**
 * Calls `take` with each field as plain data. An error becomes its message; with `withStacks` its stack
 * comes after it, under the field's name followed by `_stack`. Undefined fields are left out.
 */
function eachPlain(
  fields: Record<string, unknown>,
  withStacks: boolean,
  take: (name: string, value: Plain) => void,
): void {
  for (const key in fields) {
    const name = reservedNames.has(key) ? `${key}_` : key;
    let plain: Plain;
    let stack: unknown;
    try {
      const value = fields[key];
      if (value === undefined) continue;
      plain = plainValue(value, 0);
      if (withStacks && value instanceof Error) stack = value.stack;
    } catch {
      plain = '(unprintable)';
    }
    take(name, plain);
    if (typeof stack === 'string') take(`${name}_stack`, stack);
  }
}

function plainValue(value: unknown, depth: number): Plain {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Error) return errorText(value, depth);
  if (value instanceof Date) return String(value.toJSON());
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (depth >= greatestDepth) return '(...)';
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth + 1));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [String(key), plainValue(item, depth + 1)]),
  );
}

/** The message, followed by what caused it; the name where an error came without a message. */
function errorText(error: Error, depth: number): string {
  const message = error.message === '' ? error.name : error.message;
  if (error.cause === undefined || depth >= greatestDepth) return message;
  const cause = plainValue(error.cause, depth + 1);
  return `${message} (cause: ${typeof cause === 'string' ? cause : JSON.stringify(cause)})`;
}

/** One readable line: time, level, event, then `name=value` pairs, values quoted when needed. */
export function textLine(
  time: string,
  level: string,
  event: string,
  fields: Record<string, unknown>,
  withStacks: boolean,
): string {
  let line = `${time} ${level.padEnd(5)} ${nameText(event)}`;
  eachPlain(fields, withStacks, (name, value) => {
    line += ` ${nameText(name)}=${valueText(value)}`;
  });
  return `${line}\n`;
}

/** Names of events and fields: a few hundred, which come again and again. */
const names = new Memory<string, string>(1000);

function nameText(name: string): string {
  return names.of(name, bareOrQuoted);
}

function valueText(value: Plain): string {
  if (typeof value === 'string') return bareOrQuoted(value);
  return typeof value === 'object' && value !== null ? quoted(value) : String(value);
}

/** Nearly all words; far cheaper to find than that the rest of Unicode is harmless. */
const asciiWord = /^[!#-<>-[\]-~]+$/;
const plainWord = /^[^\s"=\\\p{C}]+$/u;

function bareOrQuoted(text: string): string {
  return asciiWord.test(text) || plainWord.test(text) ? text : quoted(text);
}

const unescapedControl = /[\u007f-\u009f\u2028\u2029]/g;

/** JSON leaves C1 controls and line separators as they are; a terminal would obey them. */
function quoted(value: Plain): string {
  return JSON.stringify(value).replace(
    unescapedControl,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
