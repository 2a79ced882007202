/** A small tree of zones with every shape that an answer has to be proven for, and questions to it. */
import type { DenialMode, SigningServer } from '../support/signing-server.ts';
import type { TrustAnchor } from '../support/validators.ts';

const anchorZone = 'signed.test';
const childZone = 'child.signed.test';
const movedZone = 'moved.signed.test';
const plainZone = 'plain.signed.test';

export const validatedZones = [anchorZone, childZone, movedZone, plainZone] as const;

const anchorRecords = `
  ns1 A 192.0.2.1
  @ MX 10 mail.signed.test.
  @ TXT apex
  mail A 192.0.2.25
  mail AAAA 2001:db8::25
  web A 192.0.2.80
  web A 192.0.2.81
  www CNAME web.signed.test.
  chain CNAME www.signed.test.
  dangling CNAME nothing.below.signed.test.
  tochild CNAME www.child.signed.test.
  toplain CNAME www.plain.signed.test.
  *.wild TXT wild
  *.wild A 192.0.2.99
  exact.wild A 192.0.2.98
  *.cw CNAME web.signed.test.
  *.cwnx CNAME nothing.below.signed.test.
  x.*.entwild A 192.0.2.97
  a.b.ent A 192.0.2.9
  below A 192.0.2.10
  old DNAME new.signed.test.
  host.new A 192.0.2.70
  *.new TXT new
  gone DNAME below.signed.test.
  child NS ns1.child.signed.test.
  ns1.child A 192.0.2.61
  a.child A 192.0.2.62
  moved NS ns1.signed.test.
  plain NS ns1.plain.signed.test.
  ns1.plain A 192.0.2.63
  deep.ent2 NS ns1.plain.signed.test.
  \\000nul TXT nul
  \\255 TXT last`;

const childRecords = `
  ns1 A 192.0.2.61
  www A 192.0.2.90
  up CNAME web.signed.test.
  * TXT child
  a.ent A 192.0.2.91`;

const movedRecords = `
  @ DNAME new.signed.test.
  @ TXT moved`;

const scannedRecords = `
  ns1 A 192.0.2.63
  www A 192.0.2.92
  into CNAME web.signed.test.`;

/** Stores and signs them; returns what a validator is to trust. */
export async function createValidated(
  server: SigningServer,
  denial: DenialMode,
): Promise<TrustAnchor> {
  await server.create(anchorZone, anchorRecords);
  await server.create(childZone, childRecords);
  // A server's name below a DNAME is none.
  await server.create(movedZone, movedRecords, 'ns1.signed.test');
  await server.create(plainZone, scannedRecords);
  const childDs = await server.sign(childZone, denial);
  // With NSEC3 a DNAME at the apex is refused: its owners would be below it.
  const movedDs = await server.sign(movedZone, 'nsec');
  const ds = await server.sign(anchorZone, denial);
  // A change of a signed zone: what stands now was signed step by step.
  const added = [`child DS ${childDs}`, `moved DS ${movedDs}`, 'later A 192.0.2.11'];
  await server.add(anchorZone, added.join('\n'));
  return { zone: anchorZone, ds };
}

type Expected = 'positive' | 'NXDOMAIN' | 'NODATA';

/** `name type expected`, and what it shows. All of them are secure. */
export const secureQuestions: readonly (readonly [string, string, Expected, string])[] = [
  ['signed.test', 'SOA', 'positive', 'the SOA, which is no stored record'],
  ['signed.test', 'DNSKEY', 'positive', 'keys'],
  ['signed.test', 'MX', 'positive', 'an RRset'],
  ['later.signed.test', 'A', 'positive', 'a name that came later'],
  ['chain.signed.test', 'A', 'positive', 'a chain of aliases'],
  ['nothing.signed.test', 'A', 'NXDOMAIN', 'no name below the apex'],
  ['a.b.nothing.below.signed.test', 'A', 'NXDOMAIN', 'no name, three labels below its encloser'],
  ['zzz.signed.test', 'A', 'NXDOMAIN', 'no name near the end of the chain'],
  ['dangling.signed.test', 'A', 'NXDOMAIN', 'an alias that leads to no name'],
  ['web.signed.test', 'MX', 'NODATA', 'no such type'],
  ['signed.test', 'AAAA', 'NODATA', 'no such type at the apex'],
  ['signed.test', 'CDS', 'NODATA', 'no CDS yet'],
  ['chain.signed.test', 'MX', 'NODATA', 'no such type at the end of a chain'],
  ['x.wild.signed.test', 'A', 'positive', 'a wildcard'],
  ['x.y.wild.signed.test', 'TXT', 'positive', 'a wildcard two labels above'],
  ['*.wild.signed.test', 'TXT', 'positive', 'the wildcard itself'],
  ['x.wild.signed.test', 'AAAA', 'NODATA', 'no such type at a wildcard'],
  ['exact.wild.signed.test', 'TXT', 'NODATA', 'a name that a wildcard is not for'],
  ['x.exact.wild.signed.test', 'TXT', 'NXDOMAIN', 'a wildcard does not reach below a name'],
  ['x.cw.signed.test', 'A', 'positive', 'a wildcard that is an alias'],
  ['x.cwnx.signed.test', 'A', 'NXDOMAIN', 'a wildcard that is an alias of nothing'],
  ['y.entwild.signed.test', 'A', 'NODATA', 'a wildcard that is an empty non-terminal'],
  ['ent.signed.test', 'A', 'NODATA', 'an empty non-terminal'],
  ['b.ent.signed.test', 'A', 'NODATA', 'an empty non-terminal below one'],
  ['ent2.signed.test', 'A', 'NODATA', 'an empty non-terminal above a delegation'],
  ['host.old.signed.test', 'A', 'positive', 'a DNAME'],
  ['x.old.signed.test', 'TXT', 'positive', 'a DNAME that leads to a wildcard'],
  ['x.old.signed.test', 'A', 'NODATA', 'a DNAME that leads to a wildcard without the type'],
  ['x.gone.signed.test', 'A', 'NXDOMAIN', 'a DNAME that leads to nothing'],
  ['old.signed.test', 'DNAME', 'positive', 'the DNAME itself'],
  ['child.signed.test', 'DS', 'positive', 'the DS of a secure delegation'],
  ['plain.signed.test', 'DS', 'NODATA', 'no DS at an insecure delegation'],
  ['web.signed.test', 'DS', 'NODATA', 'no DS where nothing is delegated'],
  ['www.child.signed.test', 'A', 'positive', 'a name behind a secure delegation'],
  ['x.child.signed.test', 'TXT', 'positive', 'a wildcard below the apex of a child'],
  ['x.child.signed.test', 'A', 'NODATA', 'the same without the type'],
  ['x.www.child.signed.test', 'A', 'NXDOMAIN', 'no name in a child'],
  ['tochild.signed.test', 'A', 'positive', 'an alias into a child'],
  ['up.child.signed.test', 'A', 'positive', 'an alias out of a child'],
  ['host.moved.signed.test', 'A', 'positive', 'a DNAME at an apex (case 74)'],
  ['x.moved.signed.test', 'TXT', 'positive', 'the same, that leads to a wildcard'],
  ['x.moved.signed.test', 'A', 'NODATA', 'the same without the type'],
  ['moved.signed.test', 'A', 'NODATA', 'no such type beside a DNAME at an apex'],
];

/** Questions whose answers nobody signs. */
export const insecureQuestions: readonly (readonly [string, string, Expected])[] = [
  ['www.plain.signed.test', 'A', 'positive'],
  ['plain.signed.test', 'SOA', 'positive'],
  ['nothing.plain.signed.test', 'A', 'NXDOMAIN'],
  ['www.plain.signed.test', 'MX', 'NODATA'],
];
