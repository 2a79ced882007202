/** Desired state: what a team wants of a zone, and how far the zone is from it. */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import {
  applied,
  count,
  described,
  dryRun,
  exampleApplied,
  int32,
  optional,
  text,
  unchanged,
} from './fields.ts';
import { exampleAddition, recordDiff } from './records.ts';
import { answers, defineRoute, resource } from './route.ts';
import { identifierText } from './shapes.ts';
import { warnings } from './warning.ts';

const owner = described(
  identifierText,
  'The team: 1 to 64 letters, digits, dots, underscores or hyphens.',
);
const query = v.strictObject({ owner });

const rrsetNames = v.array(v.object({ name: v.string(), type: v.string() }));

export const desiredAnswer = v.object({
  ...applied,
  zone_name: v.string(),
  owner: v.string(),
  serial: described(int32, 'After the change.'),
  etag: described(v.string(), 'The entity tag of that.'),
  owned: described(count, 'RRsets that the team owns then.'),
  taken_over: described(
    rrsetNames,
    'RRsets with records that nobody owned: the team does from then on.',
  ),
  released: described(
    rrsetNames,
    'RRsets that the team owned and nobody does from then on, as far as the caller may read them.',
  ),
  unchanged,
  plan_hash: described(
    v.string(),
    'Names this plan, from the serial that the zone has now. Sent with the same body, it lets it be applied only as ' +
      'this answer has it.',
  ),
  diff: recordDiff,
  warnings,
});

export const driftAnswer = v.object({
  zone_name: v.string(),
  owner: v.string(),
  serial: int32,
  owned: described(count, 'RRsets that the team owns, as far as the caller may read them.'),
  drifted: described(count, 'Those of them that differ.'),
  diff: described(recordDiff, 'From what was desired to what is there now.'),
});

const exampleHash = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';
const noDiff = { entries: [], summary: { added: 0, changed: 0, removed: 0 } };

export const desiredRoutes = resource('zones', {
  applyDesired: defineRoute('POST /zones/{name}/desired', {
    admission: { by: 'zone' },
    summary: 'Make the RRsets of a team what a master file says',
    description:
      'The body is all that the team wants of the zone. An RRset that nobody owns and the body names belongs to the ' +
      'team from then on; what the team owned and the body does not name is deleted; all others stay. What is so ' +
      'already is no change. An RRset of another owner is refused (OWNED). A dry run answers with `plan_hash`; when ' +
      'the plan of a call that names one is another by now, nothing is done, and the answer 409 PLAN_STALE has the ' +
      `new one. An SOA in the file is passed over. At most ${limits.desiredRecords} records.`,
    action:
      'record:create, record:update and record:delete on what changes, record:update on what is taken over, ' +
      'record:delete on what is released',
    query,
    body: v.strictObject({
      content: described(text, `Master file (RFC 1035 5) of at most ${limits.desiredBytes} bytes.`),
      plan_hash: described(optional(text), 'Of the plan that was looked at.'),
      dry_run: dryRun,
    }),
    exampleBody: { content: 'www 300 IN A 192.0.2.1\n' },
    bodyLimit: 'bulk',
    conditional: true,
    ...answers(200, 'What changed.', desiredAnswer, {
      ...exampleApplied,
      zone_name: 'example.com',
      owner: 'shop',
      serial: 8,
      etag: '"1-8"',
      owned: 1,
      taken_over: [],
      released: [],
      unchanged: false,
      plan_hash: exampleHash,
      diff: exampleAddition,
      warnings: [],
    }),
    problems: [
      'RECORD_CONFLICT',
      'ZONE_CONFLICT',
      'INVALID_RECORD_VALUE',
      'OWNED',
      'PLAN_STALE',
      'FORBIDDEN',
      'GUARDED',
    ],
  }),

  getDrift: defineRoute('GET /zones/{name}/desired/drift', {
    admission: { by: 'zone' },
    action: 'record:read on what each is about',
    summary: 'Show what differs from what a team last desired',
    query,
    ...answers(200, 'The difference.', driftAnswer, {
      zone_name: 'example.com',
      owner: 'shop',
      serial: 8,
      owned: 1,
      drifted: 0,
      diff: noDiff,
    }),
    problems: ['OVERLOADED'],
  }),
});
