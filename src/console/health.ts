/** How the service stands: the figures of its metrics, and what is wrong with its zones. */
import type { DnssecStatus, Secondary, Trouble, ZoneStatus } from './api.ts';

/** Values by name, without the prefix, and labels as they are written: `dnssec_keys_total{state="active"}`. */
export type Metrics = ReadonlyMap<string, number>;

export interface ZoneTrouble extends Omit<Trouble, 'metric'> {
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

const reasons: Readonly<Record<string, string>> = {
  lagging: 'is behind',
  ahead: 'is ahead: it serves a serial that never was here',
};

/** Which secondaries do not follow some zones; one that does not answer is named once. */
export function troublesOfStatuses(
  statuses: readonly ZoneStatus[],
  registered: readonly Secondary[],
): ZoneTrouble[] {
  const silent = new Set<string>();
  const found: ZoneTrouble[] = [];
  for (const { zone_name: zone, serial, secondaries } of statuses) {
    for (const { address, status, visible_serial: seen, error } of secondaries) {
      const name = registered.find((each) => each.address === address)?.name ?? address;
      if (status === 'unreachable' && !silent.has(address)) {
        silent.add(address);
        const text = `${name} does not answer${error === null ? '' : `: ${error}`}.`;
        found.push({ text, what_to_do: `Is it running? dig @${address} SOA ${zone} shows more.` });
      }
      const reason = reasons[status];
      if (reason === undefined) continue;
      const text = `${name} ${reason}${seen === null ? '' : `, with serial ${seen} of ${serial}`}.`;
      const help = `zonebook zone notify ${zone} tells it again; its log says why it does not follow.`;
      found.push({ text, what_to_do: help, zone, tab: 'secondaries' });
    }
  }
  return found;
}

/** What waits for somebody in the signing of a zone. */
export function troublesOfSigning(
  { zone_name: zone, enabled, warnings }: DnssecStatus,
  planned: DnssecStatus['next_steps'],
): ZoneTrouble[] {
  if (!enabled) return [];
  const blocks = planned.flatMap(({ blocked_by: reason }) =>
    reason === null ? [] : [`A key roll waits: ${reason}`],
  );
  return [...warnings, ...blocks].map((text) => {
    return { text, what_to_do: 'Its screen says more.', zone, tab: 'dnssec' };
  });
}
