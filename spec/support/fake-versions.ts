/** Versions, export and import for tests of the HTTP door alone: a zone whose one record came last. */
import type { ImportRequest } from '../../src/background/import/requests.ts';
import { versionRecordText } from '../../src/contract/record-json.ts';
import type { RollbackOutcome } from '../../src/domain/command.ts';
import { diffRecords } from '../../src/domain/diff.ts';
import type { ZoneRecord } from '../../src/domain/record.ts';
import { apexOf, type Zone } from '../../src/domain/zone.ts';
import type { Services } from '../../src/http/services.ts';
import type { HistoryEntry } from '../../src/query/history-queries.ts';

export function fakeVersions(zone: Zone, record: ZoneRecord): Services['versions'] {
  const version = (serial: number) => ({
    serial,
    createdAt: zone.createdAt,
    changeSource: 'api',
    changedBy: { kind: 'token', name: 'ci' } as const,
    actor: { kind: 'token', name: 'ci' } as const,
    changeReason: null,
    changeReference: null,
    reason: null,
    reference: null,
    signing: null,
    kind: 'records.changed' as const,
    settings: { ...zone, serial },
  });
  const exists = (serial: number) => serial >= 1 && serial <= zone.serial;
  const entry: HistoryEntry = {
    ...version(zone.serial),
    requestId: 'abc',
    diff: diffRecords(apexOf(zone), [], [record]),
    diffLeftOut: false,
    removedCount: 0,
    addedCount: 1,
    settingsChanged: ['defaultTtl'],
  };
  return {
    list: async () => ({ items: [version(zone.serial)], total: 1 }),
    get: (_, serial) => (exists(serial) ? version(serial) : undefined),
    serialOf: (_, moment) => {
      if ('serial' in moment) return moment.serial;
      if ('tag' in moment) return moment.tag === 'old' ? 3 : undefined;
      return moment.at < zone.createdAt ? undefined : zone.serial;
    },
    tags: () => [
      { name: 'move', serial: 7, createdAt: zone.createdAt, createdBy: null, reason: null },
    ],
    async *recordsText(_, serial) {
      if (serial === zone.serial) yield Buffer.from(versionRecordText(record, apexOf(zone)));
    },
    page: async (_, serial) => ({
      records: serial === zone.serial ? [record] : [],
      next: null,
    }),
    async *changedNodes(_, from, to) {
      if (from === to) return;
      const then = (serial: number) => (serial === zone.serial ? [record] : []);
      yield [{ owner: record.owner, before: then(from), after: then(to) }];
    },
    replacedAnswers: async () => [],
    async forRollback(_, { serial }) {
      if (!exists(serial)) return undefined;
      const nodes = [{ owner: record.owner, records: [] }];
      const { settings } = version(serial);
      return { atSerial: zone.serial, settings, settingsBefore: undefined, nodes, conflicts: [] };
    },
    history: async () => ({ items: [entry], total: 1 }),
    blame: async (_, { zone: of }) => ({
      items: [
        {
          owner: record.owner,
          type: record.type,
          ttl: 300,
          recordCount: of.recordCount,
          event: null,
        },
      ],
      next: null,
    }),
    activity: async (_, { from }) => [
      { at: from, changes: 1, signing: 0, added: 1, removed: 0, bySource: { api: 1 } },
    ],
    deletions: async (ids) => {
      const why = { deletedBy: null, deletedReason: null, deletedReference: null };
      return ids.map(() => ({
        ...why,
        versions: 1,
        rolesLost: [],
        dsKeyTags: [],
        dsWithdrawing: false,
      }));
    },
    recordEver: async (_, id) =>
      id === record.id ? { zone, owner: record.owner, type: record.type } : undefined,
  };
}

export function fakeRollback(zone: Zone, targetSerial: number): RollbackOutcome {
  return {
    moved: false,
    zone: { ...zone, serial: zone.serial + 1 },
    targetSerial,
    newSerial: zone.serial + 1,
    summary: { added: 0, deleted: 1, unchanged: 0, soaChanged: false },
    diff: { apex: apexOf(zone), entries: [] },
    warnings: [],
  };
}

async function* noPieces(): AsyncGenerator<Uint8Array> {}

/** An importer that remembers what it was asked; content `bad` has errors. */
export function fakeImporter(
  zone: Zone,
  record: ZoneRecord,
  imported: ImportRequest[],
): Services['importer'] {
  return {
    expect() {},
    create: async () => undefined,
    compare: async () => ({
      errors: [],
      summary: { added: 0, changed: 0, removed: 0 },
      next: null,
      diff: { summary: { added: 0, changed: 0, removed: 0 }, entries: noPieces() },
    }),
    maxSmallChange: () => 3000,
    rollBack: () => Promise.reject(new Error('no rollback is that large here')),
    revert: () => Promise.reject(new Error('no change is that large here')),
    async run(request) {
      imported.push(request);
      const { source: content = '', options } = request;
      const text = typeof content === 'string' ? content : Buffer.from(content).toString();
      const summary = { parsed: 1, added: 0, deleted: 0, updated: 0, unchanged: 0, skipped: 1 };
      const unchanged = { newSerial: undefined };
      const skipped = ['line 3: www RRSIG is not stored'];
      if (text.startsWith('bad')) {
        const errors = ['line 1: this is no record', 'line 2: type NSEC is not stored'];
        const diff = { apex: apexOf(zone), entries: [] };
        return { applied: false, errors, skipped, summary, ...unchanged, diff, warnings: [] };
      }
      return {
        applied: !options.dryRun,
        errors: [],
        skipped,
        summary: { ...summary, added: 1 },
        newSerial: zone.serial + 1,
        diff: diffRecords(apexOf(zone), [], [record]),
        warnings: [],
      };
    },
  };
}
