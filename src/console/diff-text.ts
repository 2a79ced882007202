/** A difference as files that other programs read: unified text, JSON, and commands of nsupdate. */
import type { DiffEntry, DiffValue } from './api.ts';

/** What the head of a file says of a side. */
export interface Side {
  readonly zone: string;
  readonly serial: number | null;
}

export interface DiffFile {
  readonly head: (from: Side, to: Side) => string;
  /** RRsets, of whose owners no other part has any. */
  readonly part: (entries: readonly DiffEntry[], zone: string, isFirst: boolean) => string;
  /** `isCut`: that there were more than a file has. */
  readonly tail: (isCut: boolean) => string;
}

/** Types whose value may be a text that is not in quotes, or several. */
const texts = new Set(['TXT', 'SPF', 'AVC', 'CLA', 'NINFO', 'RESINFO', 'WALLET']);

/** A text in quotes, as zone files have it (RFC 1035 5.1): bytes beyond ASCII and controls are escaped. */
function quoted(text: string): string {
  const characters = [...new TextEncoder().encode(text)].map((byte) => {
    if (byte < 0x20 || byte > 0x7e) return `\\${String(byte).padStart(3, '0')}`;
    const character = String.fromCharCode(byte);
    return character === '"' || character === '\\' ? `\\${character}` : character;
  });
  return `"${characters.join('')}"`;
}

/** A value as it stands in a zone file. */
export function fileValue(type: string, { value, priority }: DiffValue): string {
  if (typeof value !== 'string') return value.map(quoted).join(' ');
  // In zone-file form already: what is no text, or begins with a quote.
  const isUnquoted = texts.has(type) && !/^("|\\#)/.test(value);
  const text = isUnquoted ? quoted(value) : value;
  return priority === null ? text : `${priority} ${text}`;
}

const keyOf = (type: string, value: DiffValue) => `${value.ttl} ${fileValue(type, value)}`;

/** What an RRset loses and gets; values with the same TTL on both sides are neither. */
export function changesOf({ type, from, to }: DiffEntry) {
  const before = new Set(from.map((value) => keyOf(type, value)));
  const after = new Set(to.map((value) => keyOf(type, value)));
  return {
    removed: from.filter((value) => !after.has(keyOf(type, value))),
    added: to.filter((value) => !before.has(keyOf(type, value))),
  };
}

const titleOf = ({ zone, serial }: Side) => `${zone}${serial === null ? '' : ` serial ${serial}`}`;

const cutText = 'There is more than this file has.';

const unified: DiffFile = {
  head: (from, to) => `--- ${titleOf(from)}\n+++ ${titleOf(to)}\n`,
  part: (entries) =>
    entries
      .flatMap((entry) => {
        const { removed, added } = changesOf(entry);
        const line = (sign: string, value: DiffValue) =>
          `${sign}${entry.name} ${value.ttl} IN ${entry.type} ${fileValue(entry.type, value)}\n`;
        return [
          ...removed.map((value) => line('-', value)),
          ...added.map((value) => line('+', value)),
        ];
      })
      .join(''),
  tail: (isCut) => (isCut ? `# ${cutText}\n` : ''),
};

/** One RRset a line; the last line says whether it is all. */
const json: DiffFile = {
  head: (from, to) => `{"from":${JSON.stringify(from)},"to":${JSON.stringify(to)},"entries":[`,
  part: (entries, _, isFirst) =>
    entries
      .map((entry, index) => `${isFirst && index === 0 ? '' : ','}\n${JSON.stringify(entry)}`)
      .join(''),
  tail: (isCut) => `\n],"truncated":${isCut}}\n`,
};

/** Lines of one update: a message has 64 KiB. */
const updateLines = 200;

/**
 * Makes A what B is. Deletions come first, as what stands beside a CNAME is passed over (RFC 2136 3.4.2.2); but the
 * last NS of the apex can not be deleted (3.4.2.4), so there they come last. A record that only gets another TTL is
 * added, which replaces it.
 */
const nsupdate: DiffFile = {
  head: (from, to) => `; Makes ${titleOf(from)} what ${titleOf(to)} is.\nzone ${from.zone}.\n`,
  part: (entries, zone) => {
    const lines: string[] = [];
    let sentAt = 0;
    for (const owner of byOwner(entries)) {
      if (lines.length - sentAt > updateLines) sentAt = lines.push('send');
      const begin: string[] = [];
      const end: string[] = [];
      for (const entry of owner) {
        const { name, type, from, to } = entry;
        const stays = new Set(to.map((value) => fileValue(type, value)));
        const removed = from
          .map((value) => fileValue(type, value))
          .filter((value) => !stays.has(value))
          .map((value) => `update delete ${name} ${type} ${value}`);
        const isApexNs = type === 'NS' && name === `${zone}.`;
        (isApexNs ? end : begin).push(...removed);
      }
      const added = owner.flatMap((entry) =>
        changesOf(entry).added.map(
          (value) =>
            `update add ${entry.name} ${value.ttl} ${entry.type} ${fileValue(entry.type, value)}`,
        ),
      );
      lines.push(...begin, ...added, ...end);
    }
    return lines.length === 0 ? '' : `${lines.join('\n')}\nsend\n`;
  },
  tail: (isCut) => (isCut ? `; ${cutText}\n` : ''),
};

export const diffFiles = { unified, json, nsupdate } as const;

/** RRsets in the order of a difference, those of one owner together. */
function byOwner(entries: readonly DiffEntry[]): readonly (readonly DiffEntry[])[] {
  return [...Map.groupBy(entries, ({ name }) => name).values()];
}
