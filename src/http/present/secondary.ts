/** Secondaries as JSON (interface 2.6). */
import { formatTime } from '../../base/clock.ts';
import type { Secondary } from '../../domain/secondary.ts';
import type { TransferEntry } from '../../projection/transfer-log.ts';
import type { TransferSummary } from '../../projection/transfer-queries.ts';
import type { Probe, SecondaryCheck } from '../services.ts';

export function presentSecondary(secondary: Secondary) {
  return {
    id: secondary.id,
    name: secondary.name,
    address: secondary.address,
    enabled: secondary.enabled,
    notify_key_name: secondary.notifyKeyName,
    created_at: formatTime(secondary.createdAt),
  };
}

export function presentTransfer(entry: TransferEntry) {
  return {
    zone_name: entry.zoneName,
    address: entry.address,
    at: formatTime(entry.at),
    kind: entry.kind,
    result: entry.result,
    incremental: entry.incremental,
    serial: entry.serial,
    error: entry.error,
  };
}

export function presentSummary(summary: TransferSummary) {
  return {
    zones: summary.zones,
    axfr: summary.axfr,
    ixfr_full: summary.ixfrFull,
    ixfr_delta: summary.ixfrDelta,
    refused: summary.refused,
    failed: summary.failed,
  };
}

export function presentProbe(probe: Probe) {
  return {
    address: probe.address,
    status: probe.status,
    visible_serial: probe.visibleSerial,
    error: probe.error,
    last_transfer: probe.lastTransfer && presentTransfer(probe.lastTransfer),
  };
}

export function presentCheck(secondary: Secondary, check: SecondaryCheck) {
  return {
    secondary: presentSecondary(secondary),
    addresses: check.addresses,
    resolve_error: check.resolveError,
    catalog_zone_name: check.catalogZoneName,
    catalog_serial: check.catalogSerial,
    catalog: presentProbe(check.catalog),
    listener_error: check.listenerError,
    notifies: check.notifies.map(({ address, error }) => ({ address, error })),
    transfers: presentSummary(check.transfers),
  };
}
