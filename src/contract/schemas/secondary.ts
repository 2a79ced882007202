/** Secondaries as the interface shows and takes them (interface 2.6 and 4.4). */
import * as v from 'valibot';
import { count, flag, int32, listOf, optional, text, time } from './common.ts';
import { pageParameters, textParameter, transferLimitParameter } from './query.ts';
import { plainName, serverAddress } from './shapes.ts';

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

export const createSecondaryBody = v.strictObject({
  name: plainName,
  address: serverAddress,
  notify_key_name: v.pipe(
    optional(text),
    v.description('TSIG key that signs every NOTIFY to it; unsigned when left out.'),
  ),
});

export const updateSecondaryBody = v.strictObject({
  address: optional(serverAddress),
  enabled: optional(flag),
  notify_key_name: v.pipe(optional(text), v.description('The empty string sends unsigned again.')),
});

export const listSecondariesQuery = v.strictObject({ ...pageParameters });

export const transferEntry = v.object({
  zone_name: v.string(),
  address: v.pipe(v.string(), v.description('Of the client, without port.')),
  at: time,
  kind: v.picklist(['axfr', 'ixfr']),
  result: v.picklist(['ok', 'refused', 'failed']),
  incremental: v.pipe(v.boolean(), v.description('True for an IXFR answered as a delta.')),
  serial: v.nullable(int32),
  error: v.nullable(v.string()),
});

export const transferSummary = v.object({
  zones: v.pipe(count, v.description('Each zone counts once, by its latest transfer.')),
  axfr: count,
  ixfr_full: count,
  ixfr_delta: count,
  refused: count,
  failed: count,
});

export const probeResult = v.object({
  address: v.pipe(v.string(), v.description('As the secondary is registered.')),
  status: v.pipe(
    v.picklist(['in_sync', 'lagging', 'ahead', 'reachable', 'unreachable']),
    v.description('reachable: it answered, but with nothing to compare.'),
  ),
  visible_serial: v.pipe(
    v.nullable(int32),
    v.description('The oldest serial that any of its addresses serves.'),
  ),
  error: v.nullable(v.string()),
  last_transfer: v.nullable(transferEntry),
});

/** What an operator has to look into, as codes for programs. */
const statusWarning = v.object({
  code: v.pipe(
    v.picklist(['SECONDARY_AHEAD']),
    v.description(
      'SECONDARY_AHEAD: a secondary serves a serial that this zone never had. The database may have been taken back.',
    ),
  ),
  message: v.string(),
});

export const zoneStatus = v.object({
  zone_name: v.string(),
  serial: int32,
  secondaries: v.array(probeResult),
  warnings: v.array(statusWarning),
});

export const secondaryCheck = v.object({
  secondary,
  addresses: v.pipe(v.array(v.string()), v.description('Resolved, without port.')),
  resolve_error: v.nullable(v.string()),
  catalog_zone_name: v.string(),
  catalog_serial: v.pipe(int32, v.description('Ours.')),
  catalog: probeResult,
  listener_error: v.pipe(
    v.nullable(v.string()),
    v.description("What is wrong with the service's own DNS listener."),
  ),
  notifies: v.pipe(
    v.array(v.object({ address: v.string(), error: v.nullable(v.string()) })),
    v.description('What each address said to a NOTIFY for the catalog zone.'),
  ),
  transfers: transferSummary,
});

export const listTransfersQuery = v.strictObject({
  limit: transferLimitParameter,
  zone_name: v.pipe(v.optional(textParameter), v.description('Only transfers of this zone.')),
});

export const secondaryTransfers = v.object({
  secondary_name: v.string(),
  address: v.string(),
  summary: transferSummary,
  transfers: v.pipe(v.array(transferEntry), v.description('Newest first.')),
});
