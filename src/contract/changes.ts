/** Changes of several RRsets and zones as one. */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  applied,
  described,
  dryRun,
  exampleApplied,
  int32,
  integer,
  optional,
  recordValue,
  text,
  textUpTo,
} from './fields.ts';
import { exampleAddition, recordDiff } from './records.ts';
import { answers, defineRoute, resource } from './route.ts';
import { ownerName, recordType } from './shapes.ts';
import { warnings } from './warning.ts';

const rrset = v.strictObject({
  name: ownerName,
  type: recordType,
  ttl: described(
    optional(integer(0, limits.ttl)),
    "That of the RRset when left out; of a new one the zone's default_ttl.",
  ),
  values: described(
    v.array(recordValue, 'must be an array of values'),
    'As in a zone file: those of MX and SRV begin with the priority.',
  ),
});

const deletion = v.strictObject({
  name: ownerName,
  type: described(optional(recordType), 'Every type when left out.'),
  value: described(optional(recordValue), 'One record; needs type.'),
});

const rrsets = optional(v.array(rrset, 'must be an array of RRsets'));

const zoneChanges = v.strictObject({
  name: described(text, 'The zone.'),
  if_match: described(optional(text), 'ETag that the zone must still have, else 412.'),
  set: described(rrsets, 'RRsets that are to be exactly this.'),
  add: described(rrsets, 'Values to add; a TTL is that of the whole RRset then.'),
  delete: described(
    optional(v.array(deletion, 'must be an array of deletions')),
    'Comes first. What does not exist is passed over.',
  ),
});

export const changesAnswer = v.object({
  ...applied,
  plan_hash: described(
    v.string(),
    'Names these changes, from the serials that the zones have now. Sent with the same changes, it lets them be made ' +
      'only as this answer has them.',
  ),
  zones: v.array(
    v.object({
      name: v.string(),
      serial: described(int32, 'After the change.'),
      etag: described(v.string(), 'The entity tag of that.'),
      diff: v.exactOptional(recordDiff),
      warnings,
    }),
  ),
});

const exampleHash = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';

export const changeRoutes = resource('changes', {
  applyChanges: defineRoute('POST /changes', {
    admission: { by: 'body', action: 'record:create', or: 'record:delete' },
    summary: 'Change RRsets of several zones',
    description:
      'One transaction: all or nothing, one serial for each zone that changes. What is so already is no change. In ' +
      'each zone deletions come first, then what is set, then what is added; what stays keeps its id. A dry run ' +
      'answers with `plan_hash`; when the plan of a call that names one is another by now, nothing is done, and the ' +
      'answer 409 PLAN_STALE has `plan_hash` and `zones` of the new one. One call takes at most ' +
      `${limits.changedZones} zones, and ${limits.changeItems} deletions, RRsets and values together.`,
    action:
      'record:delete on what is deleted, record:create on what is added; on RRsets that are set record:create for ' +
      'new values, record:delete for those that go, record:update for another TTL, all three without record:read',
    body: v.strictObject({
      zones: v.array(zoneChanges, 'must be an array of zones'),
      plan_hash: described(optional(text), 'Of the plan that was looked at.'),
      reason: described(
        optional(textUpTo(limits.reasonCharacters)),
        'As the header Zonebook-Reason.',
      ),
      reference: described(
        optional(textUpTo(limits.referenceCharacters)),
        'As the header Zonebook-Reference.',
      ),
      dry_run: dryRun,
    }),
    exampleBody: {
      zones: [
        {
          name: 'example.com',
          set: [{ name: 'www', type: 'A', ttl: 300, values: ['192.0.2.1'] }],
          delete: [{ name: 'old' }],
        },
      ],
      reason: 'moves to the new rack',
    },
    bodyLimit: 'bulk',
    instead: "'if_match' of each zone in the body",
    leftOut: ['diff'],
    ...answers(200, 'What changed.', changesAnswer, {
      ...exampleApplied,
      plan_hash: exampleHash,
      zones: [
        {
          name: 'example.com',
          serial: 8,
          etag: '"1-8"',
          diff: exampleAddition,
          warnings: [],
        },
      ],
    }),
    problems: [
      'INVALID_RECORD_NAME',
      'INVALID_RECORD_VALUE',
      'FORBIDDEN',
      'ZONE_NOT_FOUND',
      'ZONE_CONFLICT',
      'RECORD_CONFLICT',
      'PLAN_STALE',
      'PRECONDITION_FAILED',
      'GUARDED',
    ],
  }),
});
