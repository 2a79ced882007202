/**
 * Fields that are names, in which characters beyond ASCII may be typed: they are sent as A-labels
 * (UTS 46), the one form that the service takes and shows. What has no A-labels is sent as it is typed,
 * and the service says what is wrong with it.
 */
import { toAsciiName } from '../dns/idn.ts';
import type { Field } from './field.ts';

type NameValue = string | undefined | readonly string[];

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
