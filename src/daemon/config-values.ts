/**
 * Values of configuration keys: from TOML or from a variable to a checked value.
 *
 * Refused: numbers written as text in TOML, fractions, values out of range, addresses that are not
 * IP addresses, empty text and text with control characters.
 */
import { isIP } from 'node:net';
import { unreachable } from '../base/problem.ts';
import { labelsOf, NameError, nameOctets, parseAbsoluteName, printLabels } from '../dns/name.ts';
import { isPrefix } from '../outbound/address-kind.ts';
import type { AddressesKey, ConfigKey } from './config-keys.ts';

/** An address of a listener with the port it carried, if any. */
export interface ListenAddress {
  readonly address: string;
  readonly port: number | undefined;
}

export type ConfigValue = string | number | boolean | ListenAddress | readonly string[];

export type Checked = { readonly value: ConfigValue } | { readonly problem: string };

/**
 * Octets of a catalog zone's name at most: a member is `<32 hex digits>.zones` below it, 33 and 6
 * octets, and must fit into 255 (RFC 9432 4.1).
 */
const greatestCatalogOctets = 216;

/** Octets of a text at most: it is sent with every answer to those who ask for it. */
const greatestTextOctets = 128;

/** What a key takes, as a clause for people. */
export function allowedOf(key: ConfigKey): string {
  switch (key.kind) {
    case 'integer':
      return `an integer from ${key.least} to ${key.greatest}`;
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${key.choices.join(', ')}`;
    case 'path':
      return 'a path, not empty and without control characters';
    case 'text':
      return `a text of 1 to ${greatestTextOctets} octets without control characters`;
    case 'addresses':
      return `a list of IP addresses and prefixes (192.0.2.1, 2001:db8::/32)${key.words.map((word) => `, ${word}`).join('')}`;
    case 'address':
      return 'an IP address, with or without a port (127.0.0.1, 127.0.0.1:3000, ::1, [::1]:3000)';
    case 'name':
      return `a domain name of letters, digits, hyphens and underscores, not the root, at most ${greatestCatalogOctets} octets`;
    default:
      return unreachable(key);
  }
}

/** Checks a value as TOML gives it; integers come as bigint, so that 1.0 is seen to be none. */
export function checkValue(key: ConfigKey, given: unknown): Checked {
  switch (key.kind) {
    case 'integer':
      if (typeof given !== 'bigint') return { problem: `${show(given)} is not an integer` };
      if (given < key.least || given > key.greatest) return { problem: `${given} is out of range` };
      return { value: Number(given) };
    case 'boolean':
      return typeof given === 'boolean'
        ? { value: given }
        : { problem: `${show(given)} is not a boolean` };
    case 'choice':
      return typeof given === 'string' && key.choices.includes(given)
        ? { value: given }
        : { problem: `${show(given)} is unknown` };
    case 'path':
    case 'text':
    case 'address':
    case 'name':
      if (typeof given !== 'string') return { problem: `${show(given)} is not a string` };
      return textChecks[key.kind](given);
    case 'addresses':
      return checkAddresses(key, given);
    default:
      return unreachable(key);
  }
}

/** Turns a variable's text into what TOML would have given, then checks that. */
export function checkVariable(key: ConfigKey, text: string): Checked {
  if (key.kind === 'integer') {
    return checkValue(key, /^-?\d{1,30}$/.test(text) ? BigInt(text) : text);
  }
  if (key.kind === 'boolean') {
    return checkValue(key, text === 'true' || text === 'false' ? text === 'true' : text);
  }
  if (key.kind === 'addresses') {
    return checkValue(key, text === '' ? [] : text.split(',').map((each) => each.trim()));
  }
  return checkValue(key, text);
}

const textChecks = { path: checkPath, text: checkText, address: checkAddress, name: checkName };

const controls = /[\u0000-\u001f\u007f]/;

function checkPath(text: string): Checked {
  if (text === '') return { problem: 'is empty' };
  return controls.test(text)
    ? { problem: `${show(text)} has control characters` }
    : { value: text };
}

function checkText(text: string): Checked {
  const checked = checkPath(text);
  if ('problem' in checked) return checked;
  const octets = Buffer.byteLength(text, 'utf8');
  return octets > greatestTextOctets ? { problem: `has ${octets} octets` } : checked;
}

function checkAddresses({ words }: AddressesKey, given: unknown): Checked {
  if (!Array.isArray(given)) return { problem: `${show(given)} is not an array` };
  const wrong = given.find(
    (each) => typeof each !== 'string' || !(words.includes(each) || isPrefix(each)),
  );
  if (wrong !== undefined) return { problem: `${show(wrong)} is no address and no prefix` };
  return { value: given as string[] };
}

const bracketed = /^\[([^\]]*)\](?::(\d{1,5}))?$/;
const withPort = /^([^:]*):(\d{1,5})$/;

function checkAddress(text: string): Checked {
  const inBrackets = bracketed.exec(text);
  const parts = inBrackets ?? withPort.exec(text);
  const address = parts?.[1] ?? text;
  const version = isIP(address);
  // A zone (fe80::1%eth0) means something on one host only and is no address of RFC 4291.
  if (version === 0 || address.includes('%') || (inBrackets !== null && version === 4)) {
    return { problem: `${show(text)} is not an IP address` };
  }
  const port = parts?.[2] === undefined ? undefined : Number(parts[2]);
  if (port !== undefined && port > 65_535) return { problem: `port ${port} is out of range` };
  return { value: { address, port } };
}

/** Labels as in zone names, so that the catalog and a zone can be compared as text. */
const plainLabel = /^[a-z0-9_-]+$/;

function checkName(text: string): Checked {
  try {
    const key = parseAbsoluteName(text);
    if (key === '') return { problem: 'is the root' };
    if (!labelsOf(key).every((label) => plainLabel.test(label))) {
      return { problem: `${show(text)} has a label of other characters` };
    }
    const octets = nameOctets(key);
    if (octets > greatestCatalogOctets) return { problem: `has ${octets} octets` };
    return { value: printLabels(key) };
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    return { problem: `${show(text)} ${error.message}` };
  }
}

function show(given: unknown): string {
  if (typeof given === 'bigint' || typeof given === 'number') return String(given);
  if (Array.isArray(given)) return 'an array';
  if (typeof given === 'object' && given !== null) return 'a section';
  return JSON.stringify(given);
}
