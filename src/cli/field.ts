/**
 * Fields: one positional or option of a command, as yargs is told of it and as the command gets it.
 *
 * Yargs only takes the words apart; the value is made here, once, so that every number, time or
 * flag of every command is refused in the same words. An option given twice is refused unless it
 * is a list: of two values one would be dropped in silence.
 */
import type { Options } from 'yargs';
import { toAsciiName } from '../dns/idn.ts';
import { usageFailure } from './failure.ts';

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

/** A field that has to be given. */
export function needed<Value>(field: Field<Value>): Field<Exclude<Value, undefined>> {
  const settings = { ...field.settings, demandOption: true };
  return { ...field, settings } as Field<Exclude<Value, undefined>>;
}

/** A text that has to be given. */
export function required(description: string): Field<string> {
  return needed(text(description));
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

/** Words between commas, of an option that may also be repeated; `missing` refuses to have none. */
export function commaList(
  description: string,
  missing?: string,
): Field<readonly string[] | undefined> {
  return {
    ...list(description),
    read(raw) {
      const words = ((raw ?? []) as unknown[])
        .flatMap((value) => String(value).split(','))
        .map((word) => word.trim())
        .filter((word) => word !== '');
      if (words.length > 0) return words;
      if (missing !== undefined) throw usageFailure(missing);
      return undefined;
    },
  };
}

/** An id or a serial; `hint` says where they are shown. */
function digits(description: string, what: string, hint: string): Field<number | undefined> {
  return {
    ...text(description),
    read(raw, label) {
      if (raw === undefined) return undefined;
      const written = single(raw, label);
      if (/^\d{1,10}$/.test(written)) return Number(written);
      throw usageFailure(`'${written}' is no ${what}`, hint);
    },
  };
}

export function recordId(description: string): Field<number | undefined> {
  return digits(description, 'id of a record', 'ids are whole numbers: see record list');
}

export function grantId(description: string): Field<number | undefined> {
  return digits(description, 'id of a grant', 'ids are whole numbers: see role grants');
}

export function serial(description: string): Field<number | undefined> {
  return digits(description, 'serial', 'zone version list shows the serials of a zone');
}

function single(raw: unknown, label: string): string {
  if (Array.isArray(raw)) throw usageFailure(`${label} is given twice`);
  return String(raw);
}

/**
 * Names in which characters beyond ASCII may be typed: they are sent as A-labels (UTS 46), the one form
 * that the service takes and shows. What has no A-labels is sent as it is typed, and the service says what
 * is wrong with it.
 */
export type NameValue = string | undefined | readonly string[];

/** A domain name: of a zone, an owner, a host. */
export function domainName<Value extends NameValue>(field: Field<Value>): Field<Value> {
  return converted(field, asciiName);
}

/** An e-mail address; only what follows the @ is a name. */
export function mailAddress<Value extends NameValue>(field: Field<Value>): Field<Value> {
  return converted(field, (text) => {
    const at = text.lastIndexOf('@') + 1;
    return text.slice(0, at) + asciiName(text.slice(at));
  });
}

/** A server as host[:port]. */
export function serverAddress<Value extends NameValue>(field: Field<Value>): Field<Value> {
  return converted(field, (text) => {
    const port = /:\d+$/.exec(text)?.[0] ?? '';
    return asciiName(text.slice(0, text.length - port.length)) + port;
  });
}

export function asciiName(text: string): string {
  return toAsciiName(text) ?? text;
}

function converted<Value extends NameValue>(
  field: Field<Value>,
  convert: (text: string) => string,
): Field<Value> {
  return {
    ...field,
    read(raw, label) {
      const value = field.read(raw, label);
      if (value === undefined) return value;
      return (typeof value === 'string' ? convert(value) : value.map(convert)) as Value;
    },
  };
}
