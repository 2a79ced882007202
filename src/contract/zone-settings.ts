/** The fields of the settings of a zone (interface 2.2), as they are returned and as they are given. */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { zoneSettings } from '../base/zone-settings.ts';
import {
  count,
  described,
  flag,
  int32,
  integer,
  optional,
  text,
  textUpTo,
  time,
} from './fields.ts';
import { hostName, responsible, zoneName } from './shapes.ts';

type Settings = typeof zoneSettings;
type Range = readonly [min: number, max: number];
type Kinds = Readonly<Record<Settings[keyof Settings]['kind'], (range: Range) => v.GenericSchema>>;

/** The fields of the settings of a zone, each by the schema that its kind is given. */
function settingFields<By extends Kinds>(schemas: By) {
  const fields = Object.values(zoneSettings).map((setting) => {
    const range = 'range' in setting ? setting.range : ([0, 0] as const);
    return [setting.field, schemas[setting.kind](range)];
  });
  return Object.fromEntries(fields) as {
    [Name in keyof Settings as Settings[Name]['field']]: ReturnType<By[Settings[Name]['kind']]>;
  };
}

export const settingsView = settingFields({
  'zone-name': () => v.string(),
  'host-name': () => v.string(),
  mailbox: () => v.string(),
  seconds: () => int32,
  serial: () => v.nullable(int32),
  note: () => v.nullable(v.string()),
  switch: () => v.boolean(),
  guard: () =>
    described(
      v.nullable(
        v.object({
          max_delete_percent: v.optional(count),
          max_deletes: v.optional(count),
          protect: v.optional(
            v.array(v.object({ name: v.string(), type: v.nullable(v.string()) })),
          ),
          locked_until: v.optional(time),
          lock_reason: v.optional(v.nullable(v.string())),
        }),
      ),
      'What its writes are held to; null where that is what the configuration says.',
    ),
});

/** As a caller gives them, each of which may be left out; the domain rules judge ranges. */
export const givenSettings = settingFields({
  'zone-name': () => optional(zoneName),
  'host-name': () => optional(hostName),
  mailbox: () => optional(responsible),
  seconds: ([min, max]) => optional(integer(min, max)),
  serial: ([min, max]) => optional(integer(min, max)),
  note: ([, max]) => optional(described(textUpTo(max), 'Operator note.')),
  switch: () => optional(flag),
  guard: () =>
    described(
      optional(
        v.strictObject({
          max_delete_percent: optional(integer(0, 100)),
          max_deletes: optional(integer(0, limits.id)),
          protect: optional(
            v.array(
              v.strictObject({ name: text, type: optional(text) }),
              'must be an array of RRsets',
            ),
          ),
          locked_until: optional(v.pipe(text, v.metadata({ format: 'date-time' }))),
          lock_reason: optional(textUpTo(limits.descriptionCharacters)),
        }),
      ),
      'Holds back writes that delete more than `max_deletes` records or, in zones of `dns.guard.min_records` or ' +
        'more, than `max_delete_percent` of them (as many as RRsets have fewer afterwards), that delete, change or ' +
        'add to an RRset under `protect`, and every write until `locked_until`: 409 GUARDED. The header ' +
        'Zonebook-Allow-Deletes with the exact number lets one through. It is set as a whole; {} is as configured.',
    ),
});
