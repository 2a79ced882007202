/**
 * Texts of requests with the shape that the domain rules judge them by: lengths, patterns and lists.
 *
 * They are documentation, so that a refusal has the code that fits it. They leave out what is tolerated: blanks
 * around a text, the closing dot of a name that is absolute anyway.
 */
import * as v from 'valibot';
import { actions } from '../base/action.ts';
import { limits } from '../base/limits.ts';
import { isStorable, parseType, rrtype } from '../dns/rrtype.ts';
import { text } from './fields.ts';

type Shape = Readonly<Record<string, string | number | readonly string[]>>;

function shaped(description: string, shape: Shape) {
  return v.pipe(text, v.metadata(shape), v.description(description));
}

const oneOf = (list: readonly string[], description: string) => shaped(description, { enum: list });

/** Names of secondaries, tokens, roles and policies. */
export const identifierText = shaped(
  'Letters, digits, dots, underscores, hyphens; stored lower-case.',
  {
    pattern: String.raw`^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$`,
    minLength: 1,
    maxLength: 64,
  },
);

const labelRange = `{1,${limits.labelBytes}}`;
const nameCharacters = limits.nameBytes - 2;
const dotted = (label: string) => String.raw`${label}(?:\.${label})*`;

export const zoneName = shaped('A domain name; stored lower-case, without closing dot.', {
  pattern: `^${dotted(`[A-Za-z0-9_/-]${labelRange}`)}$`,
  minLength: 1,
  maxLength: nameCharacters,
});

const host = dotted(`[A-Za-z0-9_-]${labelRange}`);

export const hostName = shaped('A host name; stored lower-case, without closing dot.', {
  pattern: `^${host}$`,
  minLength: 1,
  maxLength: nameCharacters,
});

const atom = '[!-,/-?A-~-]+';

export const responsible = shaped('An e-mail address, with at most 63 characters before the @.', {
  pattern: `^${dotted(atom)}@${host}$`,
  minLength: 3,
  maxLength: 254,
});

/** What is printed of ASCII but dot and backslash, and what may stand behind a backslash. */
const byte = String.raw`(?:[!-\u002d\u002f-\u005b\u005d-~]|\\[\u0000-\u002f\u003a-\u007f]|\\[01][0-9]{2}|\\2[0-4][0-9]|\\25[0-5])`;
const name = dotted(`${byte}${labelRange}`);

/** An owner, relative to its zone. */
export const ownerName = shaped('Relative to the zone, or @ for the apex; escapes as in files.', {
  pattern: `^${name}$`,
  minLength: 1,
});

/** A domain name with any labels. */
export const domainName = shaped('A domain name.', { pattern: `^${name}$`, minLength: 1 });

/** Where the label `**` stands, if anywhere: at the end, behind others, and not with `*.` in front. */
const depthLast = String.raw`(?!\*\*$)(?!(?:.*\.)?\*\*\.)(?!\*\.(?:.*\.)?\*\*$)`;

export const namePattern = shaped(
  '*, @, *.sub, sub.** or a name relative to the zone; narrows the record actions only.',
  { pattern: String.raw`^(?:\*|${depthLast}(?:\*\.)?${name})$`, minLength: 1 },
);

const anyCase = (word: string) =>
  word.replace(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);

const mnemonics = Object.keys(rrtype).filter((word) => isStorable(parseType(word) ?? 0));

/** TYPE256 to TYPE65534. */
const numbered = `${anyCase('TYPE')}(?:25[6-9]|2[6-9][0-9]|[3-9][0-9]{2}|[1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-4])`;
const oneType = `(?:${mnemonics.map(anyCase).join('|')}|${numbered})`;

export const recordType = shaped(
  "A mnemonic of IANA's list of data types, or TYPE and its number (RFC 3597), in any case.",
  { pattern: `^${oneType}$` },
);

export const externalType = shaped('A, AAAA, CNAME or TXT, in any case.', {
  pattern: `^(?:${['A', 'AAAA', 'CNAME', 'TXT'].map(anyCase).join('|')})$`,
});

export const typeList = shaped('* or types separated by commas; narrows the record actions only.', {
  pattern: String.raw`^(?:\*|${oneType}(?:,${oneType})*)$`,
});

const addressByte = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const group = '[0-9A-Fa-f]{1,4}';

const port =
  '(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])';

export const serverAddress = shaped('host[:port], port 53 when left out; IPv6 as [address]:port.', {
  pattern: String.raw`^(?:(?:${addressByte}\.){3}${addressByte}|(?:[A-Za-z0-9_-]${labelRange}\.)*[A-Za-z_][A-Za-z0-9_-]{0,62}|\[(?:(?:${group}:){7}${group}|(?:${group}:){1,6}:${group}|::${group})\])(?::${port})?$`,
  minLength: 1,
  maxLength: 259,
});

const four = '[A-Za-z0-9+/]{4}';

export const tsigSecret = shaped('Base64 of 16 to 128 bytes; 32 random ones when left out.', {
  pattern: `^(?:(?:${four}){6,42}|(?:${four}){5,42}[A-Za-z0-9+/][AQgw]==|(?:${four}){5,41}[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$`,
});

export const webUrl = shaped('http or https; judged by the outbound policy at every delivery.', {
  pattern: '^https?://',
});

/** As Standard Webhooks writes them. */
export const webhookSecret = shaped(
  'whsec_ and base64 of 24 to 64 bytes; 32 random ones when left out.',
  {
    pattern: `^whsec_(?:(?:${four}){8,21}|(?:${four}){8,21}[A-Za-z0-9+/][AQgw]==|(?:${four}){8,20}[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)$`,
  },
);

export const tsigAlgorithm = oneOf(
  ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'],
  'hmac-sha256 when left out.',
);

export const signingAlgorithm = oneOf(
  ['ecdsap256sha256', 'ecdsap384sha384', 'ed25519', 'ed448', 'rsasha256', 'rsasha512'],
  'ecdsap256sha256 when left out.',
);

export const denialMode = oneOf(['nsec3', 'nsec'], 'nsec3 when left out.');
export const grantedAction = oneOf(actions, 'What a grant can allow.');
