/**
 * All record types with a format of their own, in the order of their numbers. A new type is one new
 * file and one line here.
 */
import { a } from './a.ts';
import { aaaa } from './aaaa.ts';
import { afsdb } from './afsdb.ts';
import { apl } from './apl.ts';
import { caa } from './caa.ts';
import { cdnskey } from './cdnskey.ts';
import { cds } from './cds.ts';
import { cert } from './cert.ts';
import { cname } from './cname.ts';
import { csync } from './csync.ts';
import { dhcid } from './dhcid.ts';
import { dname } from './dname.ts';
import { dnskey } from './dnskey.ts';
import { ds } from './ds.ts';
import { eui48 } from './eui48.ts';
import { eui64 } from './eui64.ts';
import type { RdataFormat } from './format.ts';
import { hinfo } from './hinfo.ts';
import { https } from './https.ts';
import { kx } from './kx.ts';
import { loc } from './loc.ts';
import { mx } from './mx.ts';
import { naptr } from './naptr.ts';
import { ns } from './ns.ts';
import { nsec } from './nsec.ts';
import { nsec3 } from './nsec3.ts';
import { nsec3param } from './nsec3param.ts';
import { openpgpkey } from './openpgpkey.ts';
import { ptr } from './ptr.ts';
import { rp } from './rp.ts';
import { rrsig } from './rrsig.ts';
import { smimea } from './smimea.ts';
import { soa } from './soa.ts';
import { srv } from './srv.ts';
import { sshfp } from './sshfp.ts';
import { svcb } from './svcb.ts';
import { tlsa } from './tlsa.ts';
import { txt } from './txt.ts';
import { uri } from './uri.ts';
import { zonemd } from './zonemd.ts';

const formats: readonly RdataFormat[] = [
  a,
  ns,
  cname,
  soa,
  ptr,
  hinfo,
  mx,
  txt,
  rp,
  afsdb,
  aaaa,
  loc,
  srv,
  naptr,
  kx,
  cert,
  dname,
  apl,
  ds,
  sshfp,
  rrsig,
  nsec,
  dnskey,
  dhcid,
  nsec3,
  nsec3param,
  tlsa,
  smimea,
  cds,
  cdnskey,
  openpgpkey,
  csync,
  zonemd,
  svcb,
  https,
  eui48,
  eui64,
  uri,
  caa,
];

const formatOf = new Map<number, RdataFormat>(formats.map((format) => [format.type, format]));

/** The format of a type; undefined for types that have only the generic form. */
export function rdataFormatOf(type: number): RdataFormat | undefined {
  return formatOf.get(type);
}
