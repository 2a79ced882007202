/**
 * SVCB: how to reach a service (RFC 9460 2): priority, target, parameters. Priority 0 is an alias,
 * whose parameters mean nothing but are kept.
 */
import { rrtype } from '../rrtype.ts';
import { plainName } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';
import { hasPortableParameters, serviceParameters } from './svcparams.ts';

export const svcb = rdataFormat(
  rrtype.SVCB,
  [u16('priority'), plainName('target'), serviceParameters('parameters')],
  { isPortable: hasPortableParameters },
);
