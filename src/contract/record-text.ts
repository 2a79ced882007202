/**
 * Records as the JSON text of answers, for answers of very many of them: the same text as JSON.stringify
 * gives of the objects, without the objects. Threads that read long answers make it too.
 */
import { printRelativeName } from '../dns/name.ts';
import { showRdata } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { printType } from '../dns/rrtype.ts';

/** Items joined before the text is handed on. */
const itemsPerText = 64;

/** The texts of items with commas between them, some at a time. */
export function* joined<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
): Generator<string> {
  let text = '';
  for (const [index, item] of items.entries()) {
    text += index === 0 ? textOf(item) : `,${textOf(item)}`;
    if (index % itemsPerText !== itemsPerText - 1) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Names and most values need no escapes; making sure costs less than JSON.stringify does. */
export function quoted(text: string): string {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}

export function valueText(value: string | readonly string[]): string {
  return typeof value === 'string' ? quoted(value) : JSON.stringify(value);
}

/** A record of a version: without an id, its name relative to the zone. */
export function versionRecordText(record: ResourceRecord): string {
  return `{"name":${quoted(printRelativeName(record.owner))}${versionDataText(record)}`;
}

/** What stands behind the name of a record of a version. */
export function versionDataText({ type, ttl, rdata }: Omit<ResourceRecord, 'owner'>): string {
  const { value, priority } = showRdata(type, rdata);
  return `,"type":"${printType(type)}","value":${valueText(value)},"ttl":${ttl},"priority":${priority}}`;
}

/** What stands behind the name of an entry of a diff: its type, and its values before and after. */
export function diffValuesText(
  type: number,
  from: readonly DiffRecord[],
  to: readonly DiffRecord[],
): string {
  return `"type":"${printType(type)}","from":[${diffValues(from)}],"to":[${diffValues(to)}]}`;
}

type DiffRecord = Pick<ResourceRecord, 'type' | 'ttl' | 'rdata'>;

function diffValues(records: readonly DiffRecord[]): string {
  const texts = records.map(({ type, ttl, rdata }) => {
    const { value, priority } = showRdata(type, rdata);
    return `{"value":${valueText(value)},"ttl":${ttl},"priority":${priority}}`;
  });
  return texts.join(',');
}
