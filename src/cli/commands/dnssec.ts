/**
 * `dnssec`: the signing of zones, its keys, and the DS at the parent (interface 4.7).
 *
 * Whatever changes the signing of a zone answers how it is signed then, so all are shown alike (dnssec-status.ts). Keys
 * as files of the host are in dnssec-key.ts.
 */
import type { DnssecStatus } from '../answers.ts';
import type { Group } from '../command.ts';
import { choice, commaList, serverAddress } from '../field.ts';
import { domain, passOn } from '../from-contract.ts';
import { dnssecKeyExport, dnssecKeyImport } from './dnssec-key.ts';
import { statusText } from './dnssec-status.ts';

const zone = domain('name of the zone');
// A text in the contract, where the service says which role the zone has.
const role = choice(['csk', 'ksk', 'zsk'], 'which key');
const skipDsCheck = 'do not ask the parent servers';

const enable = passOn<DnssecStatus>({
  usage: 'enable <zone>',
  route: 'enableDnssec',
  summary: 'Sign a zone, and show the DS records for its parent',
  notes:
    'The servers of the parent zone are asked for the DS before anything is done that relies on it:\n' +
    'before a new key takes over, before an old one goes, before the zone stops being signed.',
  examples: [
    ['zonebook dnssec enable example.com --parent-ns 192.0.2.1:53', 'under the built-in policy'],
    [
      'zonebook dnssec enable example.com --parent-ns a.nic.example,b.nic.example --policy split',
      'under another one',
    ],
  ],
  fields: {
    zone,
    parentNs: serverAddress(
      commaList(
        'name servers of the parent zone, host or host:port; may be repeated',
        'name at least one server of the parent zone with --parent-ns',
      ),
    ),
    policy: 'DNSSEC policy; default when left out',
  },
  show: statusText,
});

const status = passOn<DnssecStatus>({
  usage: 'status <zone>',
  route: 'getDnssec',
  summary: 'Show how a zone is signed: policy, keys, DS, what comes next',
  examples: [
    ['zonebook dnssec status example.com', 'keys, the DS for the parent, and what waits for what'],
  ],
  fields: { zone },
  show: statusText,
});

const set = passOn<DnssecStatus>({
  usage: 'set <zone>',
  route: 'configureDnssec',
  summary: 'Move a signed zone to another policy, or name other servers of its parent',
  notes:
    'A policy of another algorithm starts an algorithm roll; one of another mode of denial replaces\n' +
    'the chain at once. The key layout has to be the same.',
  examples: [
    ['zonebook dnssec set example.com --policy small', 'another algorithm, denial or days'],
    ['zonebook dnssec set example.com --parent-ns 192.0.2.1 --parent-ns 192.0.2.2', 'all of them'],
  ],
  fields: {
    zone,
    policy: 'DNSSEC policy to sign under',
    parentNs: serverAddress(
      commaList('name servers of the parent zone, in place of those known; may be repeated'),
    ),
  },
  show: statusText,
});

const disable = passOn({
  usage: 'disable <zone>',
  route: 'disableDnssec',
  summary: 'Stop signing a zone; refused while its parent serves a DS',
  notes:
    'With a DS at the parent and no signatures, validating resolvers refuse the whole zone. Have the\n' +
    'DS removed first (dnssec withdraw start asks for it), and wait until it has expired from caches.',
  examples: [['zonebook dnssec disable example.com', 'keys and signatures are deleted']],
  fields: { zone, skipDsCheck },
});

const checkDs = passOn<DnssecStatus>({
  usage: 'check-ds <zone>',
  route: 'checkDs',
  summary: 'Ask the parent servers for the DS of a zone',
  examples: [['zonebook dnssec check-ds example.com', 'which keys the parent vouches for']],
  fields: { zone },
  show: statusText,
});

const sign = passOn({
  usage: 'sign <zone>',
  route: 'signZone',
  summary: 'Make all signatures of a zone again',
  notes: 'Signatures are renewed automatically before they expire; this is for when in doubt.',
  examples: [['zonebook dnssec sign example.com', 'discard what is stored, sign everything']],
  fields: { zone },
});

const roll = passOn<DnssecStatus>({
  usage: 'roll <zone>',
  route: 'rollKey',
  summary: 'Publish a new key that is to replace the one in use',
  notes:
    'A new ZSK takes over automatically once caches know it. A new CSK or KSK also waits until every\n' +
    'parent server serves its DS; then the service promotes it, or dnssec promote does.',
  examples: [
    ['zonebook dnssec roll example.com', 'a zone with one CSK'],
    ['zonebook dnssec roll example.com --role zsk', 'a zone with KSK and ZSK has to be told which'],
  ],
  fields: { zone, role },
  show: statusText,
});

const promote = passOn<DnssecStatus>({
  usage: 'promote <zone>',
  route: 'promoteKey',
  summary: 'Let a published key take over, once every parent server serves its DS',
  examples: [['zonebook dnssec promote example.com', 'the key it replaces retires']],
  fields: {
    zone,
    skipDsCheck,
    skipHolddown: 'do not wait until caches know the new key',
    skipSecondaries: 'do not wait for secondaries that are behind',
  },
  show: statusText,
});

const abort = passOn<DnssecStatus>({
  usage: 'abort <zone>',
  route: 'abortRoll',
  summary: 'Take a published key away before it takes over',
  notes:
    'A move to another algorithm is aborted as a whole, and the zone is back under its former\n' +
    'policy. After the promotion nothing can be aborted any more.',
  examples: [
    ['zonebook dnssec abort example.com', 'the key that waits for the parent, or else the ZSK'],
    ['zonebook dnssec abort example.com --role zsk', 'the ZSK that is published'],
  ],
  fields: { zone, role, skipDsCheck },
  show: statusText,
});

const startWithdrawal = passOn<DnssecStatus>({
  usage: 'start <zone>',
  route: 'withdrawDs',
  summary: 'Ask the parent, by CDS and CDNSKEY, to remove the DS of a zone',
  notes: 'Once no parent server serves a DS any more, dnssec disable stops signing the zone.',
  examples: [['zonebook dnssec withdraw start example.com', 'the first step to an unsigned zone']],
  fields: { zone },
  show: statusText,
});

const cancelWithdrawal = passOn<DnssecStatus>({
  usage: 'cancel <zone>',
  route: 'cancelWithdrawal',
  summary: 'Ask the parent to keep the DS of a zone after all',
  examples: [['zonebook dnssec withdraw cancel example.com', 'CDS name the keys again']],
  fields: { zone },
  show: statusText,
});

export const dnssec: Group = {
  name: 'dnssec',
  summary: 'The signing of zones: keys, signatures, and the DS at the parent',
  commands: [enable, status, set, disable, checkDs, sign, roll, promote, abort],
  groups: [
    {
      name: 'withdraw',
      summary: 'Asking the parent to remove the DS',
      commands: [startWithdrawal, cancelWithdrawal],
    },
    {
      name: 'key',
      summary: 'Private keys on this host, in the form of BIND',
      commands: [dnssecKeyExport, dnssecKeyImport],
    },
  ],
};
