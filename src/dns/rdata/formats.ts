/**
 * All record types with a format of their own, in the order of their numbers. A new type is one new
 * file and one line here.
 */
import { a } from './a.ts';
import { a6 } from './a6.ts';
import { aaaa } from './aaaa.ts';
import { afsdb } from './afsdb.ts';
import { amtrelay } from './amtrelay.ts';
import { apl } from './apl.ts';
import { atma } from './atma.ts';
import { avc } from './avc.ts';
import { brid } from './brid.ts';
import { caa } from './caa.ts';
import { cdnskey } from './cdnskey.ts';
import { cds } from './cds.ts';
import { cert } from './cert.ts';
import { cla } from './cla.ts';
import { cname } from './cname.ts';
import { csync } from './csync.ts';
import { dhcid } from './dhcid.ts';
import { dlv } from './dlv.ts';
import { dname } from './dname.ts';
import { dnskey } from './dnskey.ts';
import { doa } from './doa.ts';
import { ds } from './ds.ts';
import { dsync } from './dsync.ts';
import { eid } from './eid.ts';
import { eui48 } from './eui48.ts';
import { eui64 } from './eui64.ts';
import type { RdataFormat } from './format.ts';
import { gpos } from './gpos.ts';
import { hhit } from './hhit.ts';
import { hinfo } from './hinfo.ts';
import { hip } from './hip.ts';
import { https } from './https.ts';
import { ipn } from './ipn.ts';
import { ipseckey } from './ipseckey.ts';
import { isdn } from './isdn.ts';
import { key } from './key.ts';
import { kx } from './kx.ts';
import { l32 } from './l32.ts';
import { l64 } from './l64.ts';
import { loc } from './loc.ts';
import { lp } from './lp.ts';
import { mb } from './mb.ts';
import { md } from './md.ts';
import { mf } from './mf.ts';
import { mg } from './mg.ts';
import { minfo } from './minfo.ts';
import { mr } from './mr.ts';
import { mx } from './mx.ts';
import { naptr } from './naptr.ts';
import { nid } from './nid.ts';
import { nimloc } from './nimloc.ts';
import { ninfo } from './ninfo.ts';
import { ns } from './ns.ts';
import { nsap } from './nsap.ts';
import { nsapPtr } from './nsap-ptr.ts';
import { nsec } from './nsec.ts';
import { nsec3 } from './nsec3.ts';
import { nsec3param } from './nsec3param.ts';
import { nxt } from './nxt.ts';
import { openpgpkey } from './openpgpkey.ts';
import { ptr } from './ptr.ts';
import { px } from './px.ts';
import { resinfo } from './resinfo.ts';
import { rkey } from './rkey.ts';
import { rp } from './rp.ts';
import { rrsig } from './rrsig.ts';
import { rt } from './rt.ts';
import { sig } from './sig.ts';
import { sink } from './sink.ts';
import { smimea } from './smimea.ts';
import { soa } from './soa.ts';
import { spf } from './spf.ts';
import { srv } from './srv.ts';
import { sshfp } from './sshfp.ts';
import { svcb } from './svcb.ts';
import { ta } from './ta.ts';
import { talink } from './talink.ts';
import { tlsa } from './tlsa.ts';
import { txt } from './txt.ts';
import { uri } from './uri.ts';
import { wallet } from './wallet.ts';
import { wks } from './wks.ts';
import { x25 } from './x25.ts';
import { zonemd } from './zonemd.ts';

const formats: readonly RdataFormat[] = [
  a,
  ns,
  md,
  mf,
  cname,
  soa,
  mb,
  mg,
  mr,
  wks,
  ptr,
  hinfo,
  minfo,
  mx,
  txt,
  rp,
  afsdb,
  x25,
  isdn,
  rt,
  nsap,
  nsapPtr,
  sig,
  key,
  px,
  gpos,
  aaaa,
  loc,
  nxt,
  eid,
  nimloc,
  srv,
  atma,
  naptr,
  kx,
  cert,
  a6,
  dname,
  sink,
  apl,
  ds,
  sshfp,
  ipseckey,
  rrsig,
  nsec,
  dnskey,
  dhcid,
  nsec3,
  nsec3param,
  tlsa,
  smimea,
  hip,
  ninfo,
  rkey,
  talink,
  cds,
  cdnskey,
  openpgpkey,
  csync,
  zonemd,
  svcb,
  https,
  dsync,
  hhit,
  brid,
  spf,
  nid,
  l32,
  l64,
  lp,
  eui48,
  eui64,
  uri,
  caa,
  avc,
  doa,
  amtrelay,
  resinfo,
  wallet,
  cla,
  ipn,
  ta,
  dlv,
];

const formatOf = new Map<number, RdataFormat>(formats.map((format) => [format.type, format]));

/** Types that were stored in generic form before they had a format. */
export const laterTypes: ReadonlySet<number> = new Set(
  formats.filter(({ isLater }) => isLater).map(({ type }) => type),
);

/** The format of a type; undefined for types that have only the generic form. */
export function rdataFormatOf(type: number): RdataFormat | undefined {
  return formatOf.get(type);
}
