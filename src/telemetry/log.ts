/**
 * The log: one line for each event, as JSON for machines or as text for people.
 *
 * An event is a dotted name in the words of the domain (`zone.created`) with named fields. Writing
 * an event never throws and never waits: a log that fails must not take the service along.
 *
 * Fields come from anywhere, so they are first turned into plain data that no printer can fail on
 * (big integers, cycles, getters that throw) and that holds no line end or terminal control. Bytes
 * are logged as a length only: a log is no place for keys and zone content.
 */
import { pino } from 'pino';
import { type Clock, formatTime, systemClock } from '../base/clock.ts';
import { Memory } from '../base/memory.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

export type LogFields = Record<string, unknown>;

/** Where lines go; each call gets one whole line with its line end. */
export interface LogDestination {
  write(line: string): void;
  /** Writes what it has kept until now, where it keeps lines. */
  flush?(): void;
}

export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** Whether events of a level are written: who logs a great many asks before it gathers their fields. */
  writes(level: LogLevel): boolean;
  /** Takes effect with the next event; SIGHUP re-reads the level. */
  setLevel(level: LogLevel): void;
  setFormat(format: LogFormat): void;
  /** Writes the lines of this turn at once: a process that kills itself ends before they would be written. */
  flush(): void;
}

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  /** Standard output when left out. */
  destination?: LogDestination;
  clock?: Clock;
}

export function createLog(options: LogOptions): Log {
  const clock = options.clock ?? systemClock;
  const destination = options.destination ?? standardOutput();
  let { level: lowest, format } = options;
  const text = new TextLines();
  let timeMs = Number.NaN;
  let time = '';

  /** Lines of one millisecond share its text, which is what costs most of a line. */
  function timeText(): string {
    const now = clock();
    if (now !== timeMs) {
      timeMs = now;
      time = formatTime(now);
    }
    return time;
  }

  const logger = pino(
    {
      // What is written is decided here, for both formats.
      level: 'debug',
      base: null,
      timestamp: () => `,"time":"${timeText()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

  function writes(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= logLevels.indexOf(lowest);
  }

  function write(level: LogLevel, event: string, fields: LogFields): void {
    if (!writes(level)) return;
    try {
      const withStacks = lowest === 'debug';
      if (format === 'json') logger[level]({ event, ...loggedFields(fields, withStacks) });
      else destination.write(text.line(timeText(), level, event, fields, withStacks));
    } catch {
      // Nobody is left to tell: the log itself is what failed.
    }
  }

  return {
    debug: (event, fields = {}) => write('debug', event, fields),
    info: (event, fields = {}) => write('info', event, fields),
    warn: (event, fields = {}) => write('warn', event, fields),
    error: (event, fields = {}) => write('error', event, fields),
    writes,
    setLevel(level) {
      lowest = level;
    },
    setFormat(next) {
      format = next;
    },
    flush() {
      try {
        destination.flush?.();
      } catch {
        // As above.
      }
    },
  };
}

/** A log that keeps nothing, for tests. */
export function silentLog(): Log {
  const nothing = () => {};
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: nothing,
    writes: () => false,
    setLevel: nothing,
    setFormat: nothing,
    flush: nothing,
  };
}

/**
 * Standard output. The lines of one turn of the loop go out together, because one write costs more
 * than making twenty lines; what is left is written when the process ends, also by an exception.
 * A reader that went away (EPIPE) is no reason to stop serving DNS, so its error is dropped.
 */
function standardOutput(): LogDestination {
  const output = pino.destination({ fd: 1, sync: true });
  output.on('error', () => {});
  let buffered = '';
  const flush = () => {
    const lines = buffered;
    buffered = '';
    if (lines !== '') output.write(lines);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (buffered === '') setImmediate(flush);
      buffered += line;
    },
    flush,
  };
}

/** Data that JSON can say. */
type LogValue = string | number | boolean | null | LogValue[] | { [key: string]: LogValue };

/** Depth at which nested fields are cut; an event that needs more says too much. */
const maxDepth = 4;

/** Names the line itself uses; a field of such a name is logged with an underscore behind it. */
const reservedNames = new Set(['time', 'level', 'event']);

/** Copies fields as plain data (eachValue). */
function loggedFields(
  fields: Record<string, unknown>,
  withStacks: boolean,
): Record<string, LogValue> {
  const logged: Record<string, LogValue> = {};
  eachValue(fields, withStacks, (name, value) => {
    logged[name] = value;
  });
  return logged;
}

/**
 * Calls `take` with each field as plain data. An error becomes its message; with `withStacks` its stack
 * comes after it, under the field's name followed by `_stack`. Undefined fields are left out.
 */
function eachValue(
  fields: Record<string, unknown>,
  withStacks: boolean,
  take: (name: string, value: LogValue) => void,
): void {
  for (const key in fields) {
    const name = reservedNames.has(key) ? `${key}_` : key;
    let logged: LogValue;
    let stack: unknown;
    try {
      const value = fields[key];
      if (value === undefined) continue;
      logged = loggedValue(value, 0);
      if (withStacks && value instanceof Error) stack = value.stack;
    } catch {
      logged = '(unprintable)';
    }
    take(name, logged);
    if (typeof stack === 'string') take(`${name}_stack`, stack);
  }
}

function loggedValue(value: unknown, depth: number): LogValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return String(value);
  if (value instanceof Error) return errorText(value, depth);
  if (value instanceof Date) return String(value.toJSON());
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (depth >= maxDepth) return '(...)';
  if (Array.isArray(value)) return value.map((item) => loggedValue(item, depth + 1));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [String(key), loggedValue(item, depth + 1)]),
  );
}

/** The message, followed by what caused it; the name where an error came without a message. */
function errorText(error: Error, depth: number): string {
  const message = error.message === '' ? error.name : error.message;
  if (error.cause === undefined || depth >= maxDepth) return message;
  const cause = loggedValue(error.cause, depth + 1);
  return `${message} (cause: ${typeof cause === 'string' ? cause : JSON.stringify(cause)})`;
}

/** Makes one readable line: time, level, event, then `name=value` pairs, values quoted when needed. */
class TextLines {
  readonly #names = new Memory<string, string>(keptNames);

  line(
    time: string,
    level: string,
    event: string,
    fields: Record<string, unknown>,
    withStacks: boolean,
  ): string {
    let line = `${time} ${level.padEnd(5)} ${this.#name(event)}`;
    eachValue(fields, withStacks, (name, value) => {
      line += ` ${this.#name(name)}=${valueText(value)}`;
    });
    return `${line}\n`;
  }

  #name(name: string): string {
    return this.#names.of(name, quotedIfNeeded);
  }
}

/** Names of events and fields are a few hundred, which come again and again. */
const keptNames = 1000;

function valueText(value: LogValue): string {
  if (typeof value === 'string') return quotedIfNeeded(value);
  return typeof value === 'object' && value !== null ? quoted(value) : String(value);
}

/** Nearly all words; far cheaper to find than that the rest of Unicode is harmless. */
const asciiWord = /^[!#-<>-[\]-~]+$/;
const unquotedWord = /^[^\s"=\\\p{C}]+$/u;

function quotedIfNeeded(text: string): string {
  return asciiWord.test(text) || unquotedWord.test(text) ? text : quoted(text);
}

const unescapedControl = /[\u007f-\u009f\u2028\u2029]/g;

/** JSON leaves C1 controls and line separators as they are; a terminal would obey them. */
function quoted(value: LogValue): string {
  return JSON.stringify(value).replace(
    unescapedControl,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
