/** Secondaries as the interface shows and takes them (interface 2.6 and 4.4). */
import * as v from 'valibot';
import { flag, int32, listOf, optional, text, time } from './common.ts';
import { pageParameters } from './query.ts';

export const secondary = v.object({
  id: int32,
  name: v.string(),
  address: v.pipe(v.string(), v.description('host:port, lower-case.')),
  enabled: v.boolean(),
  notify_key_name: v.nullable(v.string()),
  created_at: time,
});

export const secondaryList = listOf(secondary);
export const secondaryAnswer = v.object({ secondary });

const address = v.pipe(text, v.description('host[:port], port 53 when left out.'));

export const createSecondaryBody = v.strictObject({
  name: text,
  address,
  notify_key_name: v.pipe(
    optional(text),
    v.description('TSIG key that signs every NOTIFY to it; unsigned when left out.'),
  ),
});

export const updateSecondaryBody = v.strictObject({
  address: optional(address),
  enabled: optional(flag),
  notify_key_name: v.pipe(optional(text), v.description('The empty string sends unsigned again.')),
});

export const listSecondariesQuery = v.strictObject({ ...pageParameters });
