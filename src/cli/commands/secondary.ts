/**
 * `secondary`: servers that get NOTIFY and transfer zones (interface 4.4), what each transferred last, and whether all
 * that one needs is in order.
 */
import type {
  ServedCheck,
  Secondary,
  SecondaryCheck,
  SecondaryTransfers,
  TransferSummary,
} from '../answers.ts';
import { counted } from '../changes.ts';
import type { Group } from '../command.ts';
import { passOn } from '../from-contract.ts';
import type { Columns, Output } from '../output.ts';
import { domainName, text } from '../field.ts';
import { resource } from '../resource.ts';
import { hidesCatalog, readsNoCatalog } from '../secondary-check.ts';

const secondary = resource<Secondary>({
  path: '/secondaries',
  key: 'secondary',
  none: 'no secondaries',
  columns: ['name', 'address', 'enabled', 'notify_key_name', 'created_at'],
});

function checkText(answer: SecondaryCheck, output: Output): string {
  const { catalog, notifies } = answer;
  const hasNone = readsNoCatalog(answer);
  const serials = `${catalog.visible_serial ?? 'no serial'}, ours is ${answer.catalog_serial}`;
  const reason = catalog.error === null ? '' : ` (${catalog.error})`;
  const without = `it reads no catalog, and needs none for zones that are configured there${reason}`;
  const seen = hidesCatalog(answer)
    ? `it takes NOTIFY for it, and does not show it to this host${reason}`
    : `${catalog.status}: ${serials}${reason}`;
  return output.fields([
    ['secondary', `${answer.secondary.name} at ${answer.secondary.address}`],
    ['enabled', answer.secondary.enabled],
    ['addresses', answer.resolve_error ?? answer.addresses.join(', ')],
    [answer.catalog_zone_name, hasNone ? without : seen],
    ...notifies.map(({ address, error }): [string, string] => [
      `NOTIFY to ${address}`,
      hasNone && error !== null
        ? `of the catalog, which it does not read: ${error}`
        : (error ?? 'acknowledged'),
    ]),
    ['our DNS listener', answer.listener_error ?? 'answers'],
    ['transfers', summaryLine(answer.transfers)],
    ...(hasNone
      ? [['its zones', output.hint("'zonebook zone status ZONE' asks it for one")] as const]
      : []),
  ]);
}

const rrsetColumns: Columns<ServedCheck['rrsets'][number]> = ['name', 'type', 'difference'];

function servedText(answer: ServedCheck, output: Output): string {
  const { zone, content, serial, compared, missing, extra, differing, rrsets, error } = answer;
  if (content === 'unknown') {
    const at = serial === null ? '' : ` at serial ${serial}`;
    return `zone ${zone}${at} was not compared: ${error}`;
  }
  const what = `${counted(compared, 'RRset')} of zone ${zone} at serial ${serial}`;
  if (content === 'same') return `${what}: all are the same`;
  const found = `${missing} missing, ${extra} extra, ${differing} differing`;
  const more = missing + extra + differing - rrsets.length;
  const rest = more === 0 ? '' : `\nand ${more} more`;
  return `${what}: ${found}\n${output.rows(rrsetColumns, rrsets)}${rest}`;
}

const transferColumns: Columns<SecondaryTransfers['transfers'][number]> = [
  ['zone', 'zone_name'],
  'address',
  'at',
  ['kind', ({ kind, incremental }) => (incremental ? `${kind} delta` : kind)],
  'result',
  'serial',
  'error',
];

/** Transfers of all zones in one line, each zone by its latest. */
function summaryLine(summary: TransferSummary): string {
  const { zones, axfr, ixfr_full, ixfr_delta, refused, failed } = summary;
  const parts = [
    [axfr, 'AXFR'],
    [ixfr_full, 'IXFR with the whole zone'],
    [ixfr_delta, 'IXFR with changes'],
    [refused, 'refused'],
    [failed, 'failed'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const last = said.length === 0 ? '' : `, last by: ${said.join(', ')}`;
  return `${counted(zones, 'zone')}${last}`;
}

export const secondaries: Group = {
  name: 'secondary',
  summary: 'Servers that are notified of changes and may transfer zones',
  commands: [
    secondary.create({
      summary: 'Register a secondary: it gets NOTIFY and may transfer zones',
      examples: [['$0 ns2 --address 192.0.2.53:53', 'one by its address']],
    }),
    secondary.list({
      examples: [['$0', 'every secondary with its address']],
    }),
    secondary.get({
      summary: 'Show a secondary',
      examples: [['$0 ns2', 'its address and whether it is enabled']],
    }),
    secondary.update({
      summary: 'Change a secondary; what is not named stays',
      examples: [
        ['$0 ns2 --no-enabled', 'no NOTIFY, no transfers, but keep it'],
        ['$0 ns2 --address 192.0.2.54', 'it has moved'],
      ],
      fields: {
        enabled: 'tell it of changes and let it transfer; --no-enabled stops that',
        notifyKey: "TSIG key that signs every NOTIFY to it; '' sends unsigned again",
      },
    }),
    secondary.delete({
      examples: [['$0 ns2', 'no NOTIFY and no unsigned transfer from now on']],
    }),
    passOn<SecondaryCheck | ServedCheck>({
      usage: 'check <name> [zone]',
      route: 'checkSecondary',
      summary: 'Try everything a secondary needs, or compare the records it serves of a zone',
      notes:
        'Without a zone it gets a real NOTIFY for the catalog zone. One that reads no catalog refuses\n' +
        'that; its zones are checked by zone status. A zone is compared by AXFR, as it was at the\n' +
        'serial that the secondary serves.',
      examples: [
        ['$0 ns2', 'does it resolve, answer, and follow the catalog'],
        ['$0 ns2 example.com', 'does it serve the records that are here'],
      ],
      fields: { zone: domainName(text('zone to compare')) },
      show: (answer, output) =>
        'rrsets' in answer ? servedText(answer, output) : checkText(answer, output),
    }),
    passOn<SecondaryTransfers>({
      usage: 'transfers <name>',
      route: 'listTransfers',
      summary: 'Show what a secondary transferred last of each zone, newest first',
      examples: [
        ['$0 ns2 --limit 20', 'the last twenty'],
        ['$0 ns2 --zone example.com', 'of one zone'],
      ],
      fields: { limit: 'rows at most, 1000 when left out', zone: 'only transfers of this zone' },
      show({ transfers: all, summary }, output) {
        const table = all.length === 0 ? 'no transfers' : output.rows(transferColumns, all);
        return `${table}\n${summaryLine(summary)}`;
      },
    }),
  ],
};
