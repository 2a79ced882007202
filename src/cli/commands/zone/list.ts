/** `zone list`: GET /zones. */
import type { DeletedZone, Zone } from '../../answers.ts';
import { defineCommand } from '../../command.ts';
import { choice, flag, text, whole } from '../../field.ts';
import { domainName, mailAddress } from '../../name-field.ts';
import { fetchPages, moreLine, pageOptions } from '../../page.ts';

type ListedZone = Zone & Partial<Pick<DeletedZone, 'deleted_at'>>;

export const zoneList = defineCommand({
  usage: 'list',
  aliases: ['ls'],
  summary: 'List zones',
  examples: [
    ['zonebook zone list', 'the first thousand zones by name'],
    ['zonebook zone list --search example --sort serial --order desc', 'the busiest of some'],
  ],
  options: {
    name: domainName(text('exact name')),
    search: text('part of the name'),
    id: whole('id'),
    mname: domainName(text('exact primary name server')),
    rname: mailAddress(text('exact address of who is responsible')),
    defaultTtl: whole('default TTL'),
    minDefaultTtl: whole('least default TTL'),
    maxDefaultTtl: whole('greatest default TTL'),
    serial: whole('serial'),
    minSerial: whole('least serial'),
    maxSerial: whole('greatest serial'),
    createdAfter: text('created at this time or later, like 2026-01-31T12:00:00Z'),
    createdBefore: text('created at this time or earlier'),
    signed: flag('signed zones only; --no-signed for the others'),
    enabled: flag('enabled zones only; --no-enabled for the others'),
    deleted: flag('deleted zones that can be restored; goes with --search only'),
    sort: choice(['name', 'serial', 'default_ttl', 'created_at'], 'order by'),
    order: choice(['asc', 'desc'], 'direction'),
    ...pageOptions,
  },
  async run(values, context) {
    const client = await context.client();
    const query = {
      name: values.name,
      search: values.search,
      id: values.id,
      mname: values.mname,
      rname: values.rname,
      default_ttl: values.defaultTtl,
      min_default_ttl: values.minDefaultTtl,
      max_default_ttl: values.maxDefaultTtl,
      serial: values.serial,
      min_serial: values.minSerial,
      max_serial: values.maxSerial,
      created_after: values.createdAfter,
      created_before: values.createdBefore,
      signed: values.signed,
      enabled: values.enabled,
      deleted: values.deleted,
      sort: values.sort,
      order: values.order,
    };
    const zones = await fetchPages<ListedZone>(client, '/zones', query, values);
    await context.output.show(zones, () => {
      if (zones.items.length === 0) return 'no zones';
      const isDeleted = values.deleted === true;
      const headings = ['name', 'serial', 'mname', 'default_ttl', 'enabled', 'description'];
      if (isDeleted) headings.unshift('id', 'deleted_at');
      const rows = zones.items.map((zone) => [
        ...(isDeleted ? [zone.id, zone.deleted_at] : []),
        zone.name,
        zone.serial,
        zone.mname,
        zone.default_ttl,
        zone.enabled,
        zone.description,
      ]);
      return `${context.output.table(headings, rows)}${moreLine(zones)}`;
    });
  },
});
