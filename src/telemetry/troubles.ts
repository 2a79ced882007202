/** What a service knows to be wrong with itself, by the values of its metrics, each with what to do about it. */

export interface Trouble {
  readonly text: string;
  readonly whatToDo: string;
  /** The metric that says it, without labels. */
  readonly metric: string;
}

/** Values by name and labels: `zonebook_dnssec_keys_total{state="active"}`. */
export type MetricValues = ReadonlyMap<string, number>;

const kibibyte = 1024;
const mebibyte = kibibyte ** 2;
const gibibyte = kibibyte ** 3;

/** Bytes that have to be free however small the database is. */
const minFreeBytes = 256 * mebibyte;
/** Bytes of a WAL that is in the way of reads. */
const longWalBytes = gibibyte;

type Rule = readonly [
  metric: string,
  text: (of: (noun: string) => string) => string,
  whatToDo: string,
];

/** What is wrong when it is more than 0; the metrics are without their first word. */
const rules: readonly Rule[] = [
  [
    'database_verify_findings',
    (of) => `The last verification of the database found ${of('fault')}.`,
    'zonebook journal verify names each and says what to do.',
  ],
  [
    'block_checksum_failures_total',
    (of) => `${of('read')} of stored records did not fit their checksum.`,
    'They are made again from the journal; look at the disk.',
  ],
  [
    'dnssec_rrsigs_expired_total',
    (of) => `${of('signature')} expired: resolvers that validate refuse the zones.`,
    'zonebook zone list --signing troubled names zones that could not be signed; zonebook dnssec sign ZONE makes ' +
      'new ones at once.',
  ],
  [
    'dnssec_rrsigs_future_total',
    (of) => `${of('signature')} not valid yet: the clock was ahead.`,
    'See that the clock is right; then zonebook dnssec sign ZONE makes new ones.',
  ],
  [
    'dnssec_foreign_ds_zones_total',
    (of) => `Parents serve a DS set that names no key of ${of('zone')} to validators.`,
    'Give the parent the DS that zonebook dnssec status ZONE shows. zonebook zone list --signing troubled names ' +
      'the zones.',
  ],
  [
    'dnssec_scheduler_runs_total{result="failed"}',
    (of) => `${of('run')} of the DNSSEC scheduler failed since the start.`,
    'Lines dnssec.zone-failed and dnssec.run-failed of the log say why.',
  ],
  [
    'secondary_zones_ahead_total',
    (of) => `Secondaries serve ${of('zone')} under serials that never were here.`,
    'Was the database taken back? zonebook serve --recover goes beyond those serials. Have they another ' +
      'primary, or was a zone made again with a smaller serial? zonebook zone notify ZONE --bump-serial does for one.',
  ],
  [
    'secondary_content_differs',
    (of) => `A secondary serves other records of ${of('zone')}.`,
    'zonebook secondary check NAME ZONE lists them.',
  ],
  [
    'webhooks_suspended',
    (of) => `${of('webhook')} suspended: the receiver failed for a day.`,
    'Mend the receiver, then zonebook webhook replay NAME.',
  ],
];

export function troublesOf(values: MetricValues): Trouble[] {
  const value = (name: string) => values.get(`zonebook_${name}`);
  const found: Trouble[] = [];
  const add = (name: string, text: string, whatToDo: string) => {
    found.push({ text, whatToDo, metric: `zonebook_${name.replace(/\{.*/, '')}` });
  };
  if (value('storage_writable') === 0) {
    const whatToDo =
      'It goes on by itself when the disk can be written; storage.unavailable of the log says why.';
    add('storage_writable', 'Changes can not be written to the disk.', whatToDo);
  }
  const [free, size = 0] = [value('disk_free_bytes'), value('database_bytes')];
  if (free !== undefined && size > 0 && free < Math.max(minFreeBytes, size)) {
    const text = `Only ${bytesText(free)} are free beside a database of ${bytesText(size)}.`;
    const whatToDo = 'Make room on that file system, or move data_dir to a larger one.';
    add('disk_free_bytes', text, whatToDo);
  }
  const wal = value('wal_bytes') ?? 0;
  if (wal > longWalBytes) {
    const text = `The WAL has ${bytesText(wal)}: nobody checkpoints it.`;
    add('wal_bytes', text, 'zonebook doctor says why; look at Litestream where it is used.');
  }
  for (const [name, text, whatToDo] of rules) {
    const count = value(name) ?? 0;
    const of = (noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
    if (count > 0) add(name, text(of), whatToDo);
  }
  return found;
}

/** `299 MiB`, `1.5 GiB`. */
function bytesText(bytes: number): string {
  const [unit, size] =
    bytes < mebibyte ? ['KiB', kibibyte] : bytes < gibibyte ? ['MiB', mebibyte] : ['GiB', gibibyte];
  const value = bytes / size;
  return `${value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '')} ${unit}`;
}
