/** `search`: zones, records of now and of before, and who may do something. */
import type { DnsRecord, SearchAnswer } from '../answers.ts';
import { passOn } from '../from-contract.ts';
import type { Columns, Output } from '../output.ts';
import { showValue } from '../value.ts';

const records: Columns<DnsRecord> = [
  'id',
  'name',
  'ttl',
  'type',
  'priority',
  ['value', ({ value }) => showValue(value)],
];

const deleted: Columns<SearchAnswer['deleted'][number]> = [
  'name',
  'type',
  ['value', ({ value }) => showValue(value)],
  ['until', ({ until }) => until.at],
  ['serial', ({ until }) => until.serial],
  ['event', ({ until }) => until.seq],
];

export const search = passOn<SearchAnswer>({
  usage: 'search <q>',
  route: 'search',
  notes:
    'Records are found by any part of their name in the zone, by an address, the beginning of one or a prefix,\n' +
    'and by the beginning of any word of their value; deleted ones too.',
  examples: [
    ['$0 192.0.2.9', 'where is this address, and where was it?'],
    ['$0 192.0.2.0/24', 'what stands in a network'],
    ['$0 www --at 2026-01-31T12:00:00Z', 'names as they were then'],
  ],
  fields: { limit: 'rows of each kind at most, 20 when left out' },
  show: textOf,
});

function textOf(answer: SearchAnswer, output: Output): string {
  const { zones, actors, next_cursor: cursor } = answer;
  const parts = [
    zones.length > 0 && `zones\n${output.rows(['id', 'name', 'deleted'], zones)}`,
    answer.records.length > 0 && `records\n${output.rows(records, answer.records)}`,
    answer.deleted.length > 0 && `deleted records\n${output.rows(deleted, answer.deleted)}`,
    actors.length > 0 && `tokens and keys\n${output.rows(['kind', 'name'], actors)}`,
    cursor !== null && `there may be more: --cursor ${cursor}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing was found' : parts.join('\n\n');
}
