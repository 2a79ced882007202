/**
 * HIP: a host identity (RFC 8005 5): algorithm, tag in hex, key in base64, rendezvous servers.
 */
import { rrtype } from '../rrtype.ts';
import { hostIdentity, names } from './fields/host-identity.ts';
import { rdataFormat } from './format.ts';

export const hip = rdataFormat(rrtype.HIP, [hostIdentity(), names('rendezvous servers')], {
  isLater: true,
  isPortable: false,
});
