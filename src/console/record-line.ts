/** A record as a line of a zone file. */
import type { ZoneRecord } from './api.ts';

/** Types whose values are texts, other than TXT: these have a generic form too, which begins with `\#`. */
const laterTextTypes = ['SPF', 'AVC', 'CLA', 'NINFO', 'RESINFO', 'WALLET'];

/** In quotes, with the bytes beyond ASCII as numbers. */
function quoted(text: string): string {
  const characters = Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (byte < 0x20 || byte > 0x7e) return `\\${String(byte).padStart(3, '0')}`;
    return /["\\]/.test(character) ? `\\${character}` : character;
  });
  return `"${characters.join('')}"`;
}

function textOf({ type, value, priority }: ZoneRecord): string {
  if (typeof value !== 'string') return value.map(quoted).join(' ');
  const isLater = laterTextTypes.includes(type);
  const isText = (isLater && !value.startsWith('\\#')) || type === 'TXT';
  if (isText && !value.startsWith('"')) return quoted(value);
  return priority === null ? value : `${priority} ${value}`;
}

export function recordLine(record: ZoneRecord): string {
  return `${record.name} ${record.ttl} IN ${record.type} ${textOf(record)}`;
}
