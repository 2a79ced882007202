/**
 * The log: one line for each event, as JSON for machines or as text for people.
 *
 * An event is a dotted name in the words of the domain (`zone.created`) with named fields. Writing
 * an event never throws and never waits: a log that fails must not take the service along.
 */
import { pino } from 'pino';
import { type Clock, formatTime, systemClock } from '../base/clock.ts';
import { plainFields, textLine } from './log-line.ts';

export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

export type LogFields = Record<string, unknown>;

/** Where lines go; each call gets one whole line with its line end. */
export interface LogDestination {
  write(line: string): void;
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
      if (format === 'json') logger[level]({ event, ...plainFields(fields, withStacks) });
      else destination.write(textLine(timeText(), level, event, fields, withStacks));
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
  let gathered = '';
  const flush = () => {
    const lines = gathered;
    gathered = '';
    if (lines !== '') output.write(lines);
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (gathered === '') setImmediate(flush);
      gathered += line;
    },
  };
}
