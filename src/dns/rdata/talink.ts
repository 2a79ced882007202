/**
 * TALINK: the neighbours in a list of trust anchors (draft-wijngaards-dnsop-trust-history-02): two names.
 */
import { rrtype } from '../rrtype.ts';
import { plainName } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const talink = rdataFormat(
  rrtype.TALINK,
  [plainName('previous name'), plainName('next name')],
  { isLater: true, isPortable: false },
);
