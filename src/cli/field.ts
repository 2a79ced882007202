/**
 * Fields: one positional or option of a command, as yargs is told of it and as the command gets it.
 *
 * Yargs only takes the words apart; the value is made here, once, so that every number, time or
 * flag of every command is refused in the same words. An option given twice is refused unless it
 * is a list: of two values one would be dropped in silence.
 */
import type { Options } from 'yargs';
import { usageFailure } from './exit-code.ts';

export interface Field<Value> {
  readonly settings: Options;
  /** Every value there is, where they can be told. */
  readonly values?: readonly string[];
  /** `label` is how the user wrote it: `--ttl`, or `<zone>`. */
  read(raw: unknown, label: string): Value;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

export function text(description: string): Field<string | undefined> {
  return {
    settings: { type: 'string', requiresArg: true, describe: description },
    read: (raw, label) => (raw === undefined ? undefined : single(raw, label)),
  };
}

/** A text that has to be given. */
export function required(description: string): Field<string> {
  return {
    settings: { type: 'string', demandOption: true, requiresArg: true, describe: description },
    read: single,
  };
}

export function whole(description: string): Field<number | undefined> {
  return {
    settings: { type: 'string', requiresArg: true, describe: `${description} (number)` },
    read(raw, label) {
      if (raw === undefined) return undefined;
      const written = single(raw, label);
      const number = Number(written);
      if (/^-?\d+$/.test(written) && Number.isSafeInteger(number)) return number;
      throw usageFailure(`${label} takes a whole number, not '${written}'`);
    },
  };
}

/** A switch: `--name` is true, `--no-name` false. */
export function flag(description: string): Field<boolean | undefined> {
  return {
    settings: { type: 'boolean', describe: description },
    read(raw, label) {
      if (raw === undefined || typeof raw === 'boolean') return raw;
      throw usageFailure(`${label} is given twice`);
    },
  };
}

export function choice<const Value extends string>(
  values: readonly Value[],
  description: string,
  settings: Options = {},
): Field<Value | undefined> {
  return {
    settings: {
      type: 'string',
      requiresArg: true,
      describe: `${description}: ${values.join(', ')}`,
      ...settings,
    },
    values,
    read(raw, label) {
      if (raw === undefined) return undefined;
      const written = single(raw, label);
      const value = values.find((each) => each === written);
      if (value !== undefined) return value;
      throw usageFailure(`${label} is one of ${values.join(', ')}, not '${written}'`);
    },
  };
}

/** An option or positional that may come several times. */
export function list(description: string): Field<readonly string[]> {
  return {
    settings: { type: 'string', array: true, requiresArg: true, describe: description },
    read: (raw) => (raw === undefined ? [] : (raw as unknown[]).map(String)),
  };
}

function single(raw: unknown, label: string): string {
  if (Array.isArray(raw)) throw usageFailure(`${label} is given twice`);
  return String(raw);
}
