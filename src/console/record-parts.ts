/** The fields of a record by its type, and the value in master-file form that they make together. */

export interface Part {
  readonly label: string;
  readonly hint?: string;
  /** A domain name, which ends with a dot. */
  readonly isName?: true;
  /** In quotes in a zone file. */
  readonly isQuoted?: true;
}

const number = (label: string, hint?: string): Part =>
  hint === undefined ? { label } : { label, hint };
const name = (label: string): Part => ({ label, isName: true });

const parts: Readonly<Record<string, readonly Part[]>> = {
  MX: [number('Priority', 'The lowest is asked first.'), name('Host')],
  SRV: [
    number('Priority', 'The lowest is asked first.'),
    number('Weight', 'The share among those of one priority.'),
    number('Port'),
    name('Target'),
  ],
  CAA: [
    number('Flags', '0, or 128 where who does not know the tag must not issue.'),
    { label: 'Tag', hint: 'issue, issuewild or iodef.' },
    { label: 'Authority', hint: 'Like letsencrypt.org; a lone ; is nobody.', isQuoted: true },
  ],
  TLSA: [
    number('Usage', '3 is the certificate of the server itself.'),
    number('Selector', '1 is its public key.'),
    number('Matching type', '1 is SHA-256.'),
    { label: 'Data', hint: 'Hexadecimal.' },
  ],
  SSHFP: [
    number('Algorithm', '4 is Ed25519.'),
    number('Fingerprint type', '2 is SHA-256.'),
    { label: 'Fingerprint', hint: 'Hexadecimal.' },
  ],
  DS: [
    number('Key tag'),
    number('Algorithm'),
    number('Digest type', '2 is SHA-256.'),
    { label: 'Digest', hint: 'Hexadecimal.' },
  ],
  HTTPS: [
    number('Priority', '0 is an alias.'),
    name('Target'),
    { label: 'Parameters', hint: 'Like alpn="h2,h3"; empty for an alias.' },
  ],
  CNAME: [name('Value')],
  DNAME: [name('Value')],
  NS: [name('Value')],
  PTR: [name('Value')],
};

/** Types whose value in a zone file begins with what a record has apart from its value. */
export function isPrioritised(type: string): boolean {
  return type === 'MX' || type === 'SRV';
}

const hints: Readonly<Record<string, string>> = {
  A: 'An IPv4 address, like 192.0.2.1.',
  AAAA: 'An IPv6 address, like 2001:db8::1.',
  TXT: 'Plain text: quotes and segments are made by the service.',
};

/** The fields of a type; none where the value is one field alone. */
export function partsOf(type: string): readonly Part[] {
  const found = parts[type === 'SVCB' ? 'HTTPS' : type] ?? [];
  return found.length > 1 ? found : [];
}

export function hintOf(type: string): string {
  return hints[type] ?? 'As in a zone file.';
}

/** What each field of a value has; the last one has the rest. */
export function textsOf(type: string, value: string): readonly string[] {
  let rest = value.trim();
  const wanted = partsOf(type);
  return wanted.map(({ isQuoted }, index) => {
    const isLast = index === wanted.length - 1;
    const end = isLast ? rest.length : rest.search(/\s|$/);
    const text = rest.slice(0, end);
    rest = rest.slice(end).trimStart();
    return isQuoted ? unquoted(text) : text;
  });
}

/** The value of fields; the service refuses one that lacks some. */
export function valueFrom(type: string, texts: readonly string[]): string {
  const wanted = partsOf(type);
  const wholes = texts.map((text, index) => (wanted[index]?.isQuoted ? quoted(text) : text.trim()));
  return wholes.join(' ').trim();
}

function quoted(text: string): string {
  return text === '' ? '' : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function unquoted(text: string): string {
  return /^".*"$/s.test(text) ? text.slice(1, -1).replace(/\\(.)/gs, '$1') : text;
}

/** The name of a value that does not end with a dot, which is probably meant within its zone. */
export function unfinishedName(type: string, value: string): string | undefined {
  const wanted = partsOf(type);
  const texts = wanted.length === 0 ? [value.trim()] : textsOf(type, value);
  const index = (wanted.length === 0 ? (parts[type] ?? []) : wanted).findIndex(
    ({ isName }) => isName === true,
  );
  const text = index < 0 ? undefined : texts[index];
  return text === undefined || text === '' || text.endsWith('.') ? undefined : text;
}

/** The same value with its name finished: as it is when it has dots of its own zone, else within the zone. */
export function finished(type: string, value: string, zone: string): string {
  const text = unfinishedName(type, value);
  if (text === undefined) return value;
  const isWithin = text === zone || text.endsWith(`.${zone}`);
  const whole = isWithin ? `${text}.` : text === '@' ? `${zone}.` : `${text}.${zone}.`;
  return withName(type, value, whole);
}

/** The value as the service takes it: a name ends with a dot, written or not. */
export function taken(type: string, value: string): string {
  const text = unfinishedName(type, value);
  return text === undefined ? value.trim() : withName(type, value, `${text}.`);
}

function withName(type: string, value: string, name: string): string {
  const wanted = partsOf(type);
  if (wanted.length === 0) return name;
  const at = wanted.findIndex(({ isName }) => isName === true);
  return valueFrom(type, textsOf(type, value).with(at, name));
}

/** Bytes of a segment of a TXT at most. */
const segmentBytes = 255;

/** A text as the segments of a TXT in quotes, as it stands in a zone file. */
export function segmentsText(text: string): string {
  const segments: string[] = [''];
  let bytes = 0;
  for (const character of text) {
    const length = new TextEncoder().encode(character).length;
    if (bytes + length > segmentBytes) {
      segments.push('');
      bytes = 0;
    }
    bytes += length;
    segments[segments.length - 1] += character;
  }
  return segments.map((segment) => `"${segment.replace(/["\\]/g, '\\$&')}"`).join(' ');
}
