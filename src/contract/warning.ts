/** Warnings of writes. */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { warningCodes } from '../base/warning.ts';
import { described } from './fields.ts';

export const warning = v.object({
  code: described(
    v.picklist(warningCodes),
    'NO_APEX_NS: the zone has no NS at its apex, secondaries refuse it. LARGE_RRSET: more than ' +
      `${limits.largeRrset} records in an RRset. TARGET_NO_ADDRESS: an NS, MX or SRV points at a name of the ` +
      'zone without A and AAAA, an NS also below a delegation without glue. TARGET_IS_ALIAS: an NS, MX or ' +
      'SRV points at a CNAME, or below a DNAME (RFC 2181 10.3). CNAME_TARGET_MISSING: a CNAME points at a ' +
      'name of the zone that does not exist. TARGET_SINGLE_LABEL: a target has one label, like `mx.`. ' +
      'SPF_MULTIPLE: several SPF records at a name (RFC 7208 4.5). SPF_LOOKUPS: an SPF record needs more than ten ' +
      'look-ups. ZONE_IS_ROLLED: a write to all of a zone or to the NS at its apex while keys come or go. ' +
      'TTL_PROLONGS_ROLL: a TTL, or the refresh, by which a roll of keys lasts longer. ' +
      'SERIAL_RAISED: a new zone does not have the serial of its source, as its name was served under that one or a ' +
      'later one. SERIAL_BEHIND: a serial that is not above one that secondaries may hold, of a former zone of the ' +
      'name or of the source. SOA_TTL_CHANGED: a new zone does not serve its SOA with the TTL of its source. ' +
      'Of lint alone: DELEGATION_MISSING: a zone above is stored and does not delegate the zone. ' +
      'DELEGATION_DIFFERS: NS of a delegation and of the zone itself differ. DS_WITHOUT_KEY: no DS of a delegation ' +
      'names a DNSKEY of the zone itself. TTL_OUT_OF_STEP: a delegation has a TTL that the zone and its key ' +
      'timing do not have. MORE_WARNINGS: not all is listed. ' +
      'GUARDED: of a dry run, that the write would be held back.',
  ),
  name: described(v.nullable(v.string()), 'Absolute, with trailing dot.'),
  type: described(v.nullable(v.string()), 'Record type.'),
  message: described(v.string(), 'What is probably wrong, for people.'),
});

export const warnings = described(
  v.array(warning),
  'What is probably a mistake in the records that the write adds or changes, and in NS, MX and SRV records at ' +
    'or above a name whose last address it takes away; nothing is refused because of it. What is said of the ' +
    'SOA comes first; the others are sorted by name and type, at most ' +
    `${limits.listedWarnings}; MORE_WARNINGS comes last and says how many are not listed. ` +
    `The targets of at most ${limits.warningTargets} records of a write are looked up. What the caller may ` +
    'not read gives no warning.',
);

export const exampleWarning = {
  code: 'TARGET_NO_ADDRESS',
  name: 'example.com.',
  type: 'NS',
  message: 'the target ns1.example.com. has no A or AAAA record in this zone',
};
