/** `zone guard`: which changes of a zone are held back. */
import type { ZoneUpdate } from '../answers.ts';
import { done } from '../changes.ts';
import { segment } from '../client.ts';
import { expectNow } from '../expected.ts';
import { usageFailure } from '../failure.ts';
import { commaList, flag, text, whole } from '../field.ts';
import { passOn } from '../from-contract.ts';
import type { Output } from '../output.ts';

/** What updating a zone takes besides. */
const otherFields = {
  ...{ mname: null, rname: null, defaultTtl: null, minimumTtl: null, refresh: null, retry: null },
  ...{ expire: null, serial: null, description: null, enabled: null, guard: null },
};

const guardFields = {
  maxDeletePercent: whole('percent of the records that one change may delete; 100 is all'),
  maxDeletes: whole('records that one change may delete'),
  protect: commaList(
    'RRsets that stay as they are, like www/A,mail/MX or only the name; @ is the apex',
  ),
  lockedUntil: text('time up to which nothing of the zone changes, like 2026-01-31T12:00:00Z'),
  lockReason: text('why it is locked'),
  unlock: flag('take the lock away, with its reason'),
  default: flag('what the configuration says, but for what is given with it'),
};

export const zoneGuard = passOn<ZoneUpdate>({
  usage: 'guard <name>',
  route: 'updateZone',
  summary: 'Hold back changes of a zone that delete too much',
  notes:
    'A change that deletes more is refused, whichever interface it comes by. --allow-deletes N with the exact\n' +
    'number lets it through once; a dry run says the number. A percentage holds from 20 records on.\n' +
    'What is not given stays as it is; --default sets it as a whole. If somebody else changes the zone\n' +
    'meanwhile nothing is set.',
  examples: [
    ['$0 example.com --max-delete-percent 10 --max-deletes 50', 'hold back what deletes more'],
    ['$0 example.com --protect @,www/A', 'and what changes these'],
    ['$0 example.com --locked-until 2026-02-01T06:00:00Z --lock-reason freeze', 'nothing changes'],
    ['$0 example.com --unlock', 'the lock ends, all else stays'],
    ['$0 example.com --default', 'as the configuration says'],
  ],
  fields: { ...otherFields, ...guardFields },
  prepare(values) {
    const { name: _, dryRun: __, ...given } = values;
    if (Object.values(given).every((value) => value === undefined || value === false)) {
      throw usageFailure('say what it holds back, --unlock or --default');
    }
    if (given.unlock === true && (given.lockedUntil ?? given.lockReason) !== undefined) {
      throw usageFailure('--unlock goes with no other lock');
    }
    return values;
  },
  async complete({ name, dryRun, default: isDefault, unlock, ...values }, client) {
    // Of what was read: who has set something else since is not overwritten (If-Match).
    const { guard: now } = await expectNow(`/zones/${segment(String(name))}`, client);
    const { locked_until, lock_reason, ...others } = (isDefault === true ? null : now) ?? {};
    const lock = unlock === true ? {} : { locked_until, lock_reason };
    return { name, dryRun, guard: { ...others, ...lock, ...guardOf(values) } };
  },
  changes: ({ unchanged }) => !unchanged,
  show: (answer, output) =>
    `${done(answer, 'guard')} zone ${answer.zone.name}\n${textOf(answer, output)}`,
});

function guardOf(values: Readonly<Record<string, unknown>>): object {
  const { protect, ...rest } = values as { readonly protect?: readonly string[] };
  const entries = protect?.map((entry) => {
    const [name, type] = entry.split('/');
    return { name, type };
  });
  const { maxDeletePercent, maxDeletes, lockedUntil, lockReason } = rest as Record<string, unknown>;
  const all = {
    ...{ max_delete_percent: maxDeletePercent, max_deletes: maxDeletes, protect: entries },
    ...{ locked_until: lockedUntil, lock_reason: lockReason },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function textOf({ zone: { guard } }: ZoneUpdate, output: Output): string {
  if (guard === null) return 'as the configuration says';
  const { protect, ...rest } = guard;
  const rrsets = protect?.map(({ name, type }) => (type === null ? name : `${name}/${type}`));
  return output.fields(Object.entries({ ...rest, ...(rrsets && { protect: rrsets.join(', ') }) }));
}
