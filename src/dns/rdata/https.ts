/**
 * HTTPS: SVCB for the scheme https (RFC 9460 9); the same form.
 */
import { rrtype } from '../rrtype.ts';
import { plainName } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';
import { hasPortableParameters, serviceParameters } from './svcparams.ts';

export const https = rdataFormat(
  rrtype.HTTPS,
  [u16('priority'), plainName('target'), serviceParameters('parameters')],
  { isPortable: hasPortableParameters },
);
