/**
 * Fields: one positional or option of a command, as yargs knows it and as the command gets it.
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
  /** Every value there is, where they are known. */
  readonly values?: readonly string[];
  /** `label` is how the user wrote it: `--ttl`, or `<zone>`. */
  read(raw: unknown, label: string): Value;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

/** Yargs reads `--no-name` of every option as false, and only a switch can be that. */
function refuseNegated(raw: unknown, label: string): void {
  if (![raw].flat().includes(false)) return;
  throw usageFailure(`${label} takes a value: there is no ${label.replace('--', '--no-')}`);
}

/** A word of the command line, given once; `parse` makes the value of it or refuses it. */
function word<Value>(
  settings: Options,
  parse: (given: string, label: string) => Value,
): Field<Value | undefined> {
  return {
    settings: { type: 'string', requiresArg: true, ...settings },
    read(raw, label) {
      if (raw === undefined) return undefined;
      refuseNegated(raw, label);
      if (Array.isArray(raw)) throw usageFailure(`${label} is given twice`);
      return parse(String(raw), label);
    },
  };
}

export function text(description: string): Field<string | undefined> {
  return word({ describe: description }, (given) => given);
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
  return word({ describe: `${description} (number)` }, (given, label) => {
    const number = Number(given);
    if (/^-?\d+$/.test(given) && Number.isSafeInteger(number)) return number;
    throw usageFailure(`${label} takes a whole number, not '${given}'`);
  });
}

/** Seconds to wait; an option without them means 30. */
export function seconds(description: string): Field<number | undefined> {
  return word({ describe: description, requiresArg: false }, (given, label) => {
    if (given === '') return 30;
    if (/^\d{1,3}$/.test(given)) return Number(given);
    throw usageFailure(`${label} takes seconds, not '${given}'`);
  });
}

/** A serial, or a tag that stands for one. */
export function taggedSerial(description: string): Field<number | string | undefined> {
  return word({ describe: `${description}, or tag:NAME` }, (given) => {
    if (/^tag:[^:]+$/i.test(given)) return given;
    if (/^\d{1,10}$/.test(given)) return Number(given);
    throw usageFailure(`'${given}' is no serial`);
  });
}

/** An id: digits alone; `what` is what a value has to be, like `id of a record`. */
export function numberOf(description: string, what: string): Field<number | undefined> {
  return word({ describe: description }, (given) => {
    if (/^\d{1,10}$/.test(given)) return Number(given);
    throw usageFailure(`'${given}' is no ${what}`);
  });
}

export function choice<const Value extends string>(
  values: readonly Value[],
  description: string,
  settings: Options = {},
): Field<Value | undefined> {
  const describe = `${description}: ${values.join(', ')}`;
  const field = word({ describe, ...settings }, (given, label) => {
    const value = values.find((each) => each === given);
    if (value !== undefined) return value;
    throw usageFailure(`${label} is one of ${values.join(', ')}, not '${given}'`);
  });
  return { ...field, values };
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

/** An object of the HTTP interface, written as JSON. */
export function jsonObject(description: string): Field<object | undefined> {
  return word({ describe: `${description} (JSON)` }, (given, label) => {
    const isObject = (value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    try {
      const value: unknown = JSON.parse(given);
      if (isObject(value)) return value as object;
    } catch {
      // Said below.
    }
    throw usageFailure(`${label} takes a JSON object like {"zone": "example.com"}, not '${given}'`);
  });
}

/** An option or positional that may come several times. */
export function list(description: string): Field<readonly string[]> {
  return {
    settings: { type: 'string', array: true, requiresArg: true, describe: description },
    read(raw, label) {
      refuseNegated(raw, label);
      return raw === undefined ? [] : (raw as unknown[]).map(String);
    },
  };
}

/**
 * Words between commas, of an option that may also be repeated; `missing` refuses to have none. One that is given
 * without a word, as with a variable that is not set, is not left out: that may mean everything.
 */
export function commaList(
  description: string,
  missing?: string,
): Field<readonly string[] | undefined> {
  const field = list(description);
  return {
    ...field,
    read(raw, label) {
      const words = field
        .read(raw, label)
        .flatMap((value) => value.split(','))
        .map((each) => each.trim())
        .filter((each) => each !== '');
      if (words.length > 0) return words;
      if (missing !== undefined) throw usageFailure(missing);
      if (raw === undefined) return undefined;
      throw usageFailure(`${label} is empty`, 'give at least one, or leave the option out');
    },
  };
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

/** A field whose texts are made into others. */
export function converted<Value extends NameValue>(
  field: Field<Value>,
  convert: (text: string, label: string) => string,
): Field<Value> {
  return {
    ...field,
    read(raw, label) {
      const value = field.read(raw, label);
      if (value === undefined) return value;
      const made =
        typeof value === 'string'
          ? convert(value, label)
          : value.map((each) => convert(each, label));
      return made as Value;
    },
  };
}
