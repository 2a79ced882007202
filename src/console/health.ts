/** How the service stands: the figures of its metrics, and what is wrong with what to do about it. */
import type { DnssecStatus, Secondary, ZoneStatus } from './api.ts';
import { counted } from './counted.ts';

/** Values by name, without the prefix, and labels as they are written: `dnssec_keys_total{state="active"}`. */
export type Metrics = ReadonlyMap<string, number>;

export interface Trouble {
  readonly what: string;
  readonly whatToDo: string;
  /** The zone whose screen has more, and which of its screens. */
  readonly zone?: string;
  readonly tab?: string;
}

export function metricsOf(text: string): Metrics {
  const lines = text.matchAll(/^zonebook_(\w+(?:\{[^}]*\})?) (\S+)$/gm);
  return new Map(Array.from(lines, ([, name, value]) => [name!, Number(value)]));
}

/** Which version runs; undefined where the metrics do not say it. */
export function versionOf(metrics: Metrics): string | undefined {
  for (const name of metrics.keys()) {
    const version = /^build_info\{.*?version="([^"]*)"/.exec(name)?.[1];
    if (version !== undefined) return version;
  }
  return undefined;
}

/** How far the chain of hashes was verified, and when; undefined before the first time. */
export function chainOf(metrics: Metrics) {
  const value = (name: string) => metrics.get(`database_verify_${name}`) ?? 0;
  const seconds = value('timestamp_seconds');
  if (seconds === 0) return undefined;
  const at = new Date(seconds * 1000).toISOString();
  return { at, events: value('events'), findings: value('findings') };
}

/** When the last backup was made, and which event it ends with; undefined where the service knows of none. */
export function backupOf(metrics: Metrics) {
  const seconds = metrics.get('backup_timestamp_seconds');
  if (seconds === undefined) return undefined;
  return { at: new Date(seconds * 1000).toISOString(), seq: metrics.get('backup_event') ?? 0 };
}

/** Values of the one label of a metric, with those that are not 0. */
export function labelled(metrics: Metrics, name: string): (readonly [string, number])[] {
  return [...metrics].flatMap(([each, value]) => {
    const label = each.startsWith(`${name}{`) ? /"(.*)"/.exec(each)?.[1] : undefined;
    return label === undefined || value === 0 ? [] : [[label, value] as const];
  });
}

/** Powers of 1024, to one decimal below 10. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  const digits = power > 0 && value < 10 ? 1 : 0;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits })} ${units[power]}`;
}

/** Bytes that have to be free however small the database is. */
const minFreeBytes = 256 * 1024 ** 2;
/** Bytes of a WAL that is in the way of reads. */
const longWalBytes = 1024 ** 3;

type Rule = readonly [metric: string, what: (count: number) => string, whatToDo: string];

/** What is wrong when it is more than 0. */
const rules: readonly Rule[] = [
  [
    'database_verify_findings',
    (count) => `The last verification of the database found ${counted(count, 'fault')}.`,
    'zonebook journal verify names each and says what to do.',
  ],
  [
    'block_checksum_failures_total',
    (count) => `${counted(count, 'read')} of stored records did not fit their checksum.`,
    'They are made again from the journal; look at the disk.',
  ],
  [
    'dnssec_rrsigs_expired_total',
    (count) => `${counted(count, 'signature')} expired: resolvers that validate refuse the zones.`,
    'zonebook dnssec sign ZONE makes new ones at once.',
  ],
  [
    'dnssec_rrsigs_future_total',
    (count) => `${counted(count, 'signature')} not valid yet: the clock was ahead.`,
    'See that the clock is right; then zonebook dnssec sign ZONE makes new ones.',
  ],
  [
    'dnssec_foreign_ds_zones_total',
    (count) =>
      `Parents serve a DS set that names no key of ${counted(count, 'zone')} to validators.`,
    'Give the parent the DS that stands on the DNSSEC screen of the zone.',
  ],
  [
    'dnssec_scheduler_runs_total{result="failed"}',
    (count) => `${counted(count, 'run')} of the DNSSEC scheduler failed since the start.`,
    'Lines dnssec.zone-failed and dnssec.run-failed of the log say why.',
  ],
  [
    'secondary_zones_ahead_total',
    (count) => `Secondaries serve ${counted(count, 'zone')} under serials that never were here.`,
    'Was the database taken back? zonebook serve --recover goes beyond those serials. Have they another ' +
      'primary, or was a zone made again with a smaller serial? zonebook zone notify ZONE --bump-serial does for one.',
  ],
  [
    'secondary_content_differs',
    (count) => `A secondary serves other records of ${counted(count, 'zone')}.`,
    'zonebook secondary check NAME ZONE lists them.',
  ],
  [
    'webhooks_suspended',
    (count) => `${counted(count, 'webhook')} suspended: the receiver failed for a day.`,
    'Mend the receiver, then zonebook webhook replay NAME.',
  ],
];

/** What the service itself knows to be wrong. */
export function troublesOf(metrics: Metrics): Trouble[] {
  const value = (name: string) => metrics.get(name) ?? 0;
  const found: Trouble[] = [];
  if (metrics.get('storage_writable') === 0) {
    const whatToDo =
      'It goes on by itself when the disk can be written; storage.unavailable of the log says why.';
    found.push({ what: 'Changes can not be written to the disk.', whatToDo });
  }
  const [free, size] = [metrics.get('disk_free_bytes'), value('database_bytes')];
  if (free !== undefined && size > 0 && free < Math.max(minFreeBytes, size)) {
    const what = `Only ${bytesText(free)} are free beside a database of ${bytesText(size)}.`;
    const whatToDo = 'Make room on that file system, or move data_dir to a larger one.';
    found.push({ what, whatToDo });
  }
  if (value('wal_bytes') > longWalBytes) {
    const what = `The WAL has ${bytesText(value('wal_bytes'))}: nobody checkpoints it.`;
    found.push({
      what,
      whatToDo: 'zonebook doctor says why; look at Litestream where it is used.',
    });
  }
  for (const [name, what, whatToDo] of rules) {
    const count = value(name);
    if (count > 0) found.push({ what: what(count), whatToDo });
  }
  return found;
}

const reasons: Readonly<Record<string, string>> = {
  lagging: 'is behind',
  ahead: 'is ahead: it serves a serial that never was here',
};

/** Which secondaries do not follow some zones; one that does not answer is named once. */
export function troublesOfStatuses(
  statuses: readonly ZoneStatus[],
  registered: readonly Secondary[],
): Trouble[] {
  const silent = new Set<string>();
  const found: Trouble[] = [];
  for (const { zone_name: zone, serial, secondaries } of statuses) {
    for (const { address, status, visible_serial: seen, error } of secondaries) {
      const name = registered.find((each) => each.address === address)?.name ?? address;
      if (status === 'unreachable' && !silent.has(address)) {
        silent.add(address);
        const what = `${name} does not answer${error === null ? '' : `: ${error}`}.`;
        found.push({ what, whatToDo: `Is it running? dig @${address} SOA ${zone} shows more.` });
      }
      const reason = reasons[status];
      if (reason === undefined) continue;
      const what = `${name} ${reason}${seen === null ? '' : `, with serial ${seen} of ${serial}`}.`;
      const whatToDo = `zonebook zone notify ${zone} tells it again; its log says why it does not follow.`;
      found.push({ what, whatToDo, zone, tab: 'secondaries' });
    }
  }
  return found;
}

/** What waits for somebody in the signing of a zone; `planned` is what happens to its keys by itself. */
export function troublesOfSigning(
  status: DnssecStatus,
  planned: DnssecStatus['next_steps'],
): Trouble[] {
  const { zone_name: zone, expired_signatures: expired, foreign_ds_since: foreign } = status;
  if (!status.enabled) return [];
  const at = { zone, tab: 'dnssec' };
  const found: Trouble[] = [];
  if (expired > 0) {
    const what = `${counted(expired, 'signature')} expired.`;
    found.push({ ...at, what, whatToDo: `zonebook dnssec sign ${zone} makes new ones at once.` });
  }
  if (foreign !== null) {
    const what = 'A parent server serves a DS set that names no key of the zone to validators.';
    found.push({
      ...at,
      what,
      whatToDo: 'Give the parent the DS that stands on its screen, and no other.',
    });
  }
  for (const { blocked_by: reason } of planned) {
    if (reason === null) continue;
    const whatToDo = 'Its screen says what the step waits for.';
    found.push({ ...at, what: `A key roll waits: ${reason}`, whatToDo });
  }
  for (const what of status.warnings)
    found.push({ ...at, what, whatToDo: 'Its screen says more.' });
  return found;
}
