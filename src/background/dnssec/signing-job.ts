/**
 * The job of a pass over a whole zone: reads what the step leaves of user records, signs it with all
 * cores and writes it as slices of a stage. The zone is held meanwhile, so what it shows stays as it is.
 */
import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { Parts } from '../../base/jobs.ts';
import { assert, Problem } from '../../base/problem.ts';
import { errorOf } from '../../base/storage-problem.ts';
import type { NameKey } from '../../dns/name.ts';
import {
  compareRecords,
  type ResourceRecord,
  unpackRecords,
  withBuffer,
} from '../../dns/record.ts';
import { dnssecTypes } from '../../dns/rrtype.ts';
import { openKeyPair } from '../../dnssec/key-pair.ts';
import { planKeys, signingKeys } from '../../dnssec/key-plan.ts';
import { LateSigning } from '../../dnssec/late-signing.ts';
import { cachingNobleVerifier } from '../../dnssec/noble.ts';
import { overlaidZone, signWhole } from '../../dnssec/sign-whole.ts';
import type { OwnerChange } from '../../dnssec/reconcile-owner.ts';
import { startPass } from '../../dnssec/signing-pass.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import type { SentKeys } from '../../writer/writer.ts';
import type { WholePass } from '../../writer/zone-signer.ts';
import type { Connection } from '../../journal/database.ts';
import { damageIn } from '../../journal/damage.ts';
import { rangeOfDelta } from '../../journal/delta.ts';
import { PartQuery } from '../../journal/delta-row.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { blockCutOf } from '../../projection/block-cut.ts';
import { BlockQuery, type BlockRow } from '../../projection/block-row.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import { SliceSender } from '../import/slice-sender.ts';
import { StageWriter } from '../import/stage-writer.ts';
import { ownerGroups } from '../import/zone-walk.ts';
import { ChangeWalk } from './change-walk.ts';

export interface WholePassOrder {
  readonly whole: WholePass;
  /** The private halves of keys that the step brings in, PKCS #8 in DER, by the ids of the keys. */
  readonly madeKeys: ReadonlyMap<number, Uint8Array>;
  /** Whence those of stored keys come (SentKeys): from who has the keystore, and through nobody else. */
  readonly storedKeys: MessagePort;
}

export interface SigningReport {
  readonly partCount: number;
  readonly partsDigest: Uint8Array;
  readonly dnssecRemoved: number;
  readonly dnssecAdded: number;
  readonly signatures: number;
  /** Of all records that were signed or served before, in seconds. */
  readonly largestTtl: number;
}

/** Signatures that are joined together, and how many batches of them are ordered ahead: as many as possible. */
const signaturesAtOnce = 128;
const maxAhead = 3;
const blocksPerRead = 64;

/** The private halves of all keys of the pass. */
async function privateKeysOf(job: WholePassOrder): Promise<ReadonlyMap<number, Uint8Array>> {
  const [sent] = (await once(job.storedKeys, 'message')) as [SentKeys];
  job.storedKeys.close();
  if ('failure' in sent) throw errorOf(sent.failure);
  const keys = new Map([...sent.keys, ...job.madeKeys]);
  for (const { id } of signingKeys(job.whole.pass?.keys ?? [])) {
    if (!keys.has(id)) {
      throw new Problem('DNSSEC_SIGNING_FAILED', 'a private key is not in the keystore');
    }
  }
  return keys;
}

export class SigningJob {
  readonly #file: string;

  constructor(databaseFile: string) {
    this.#file = databaseFile;
  }

  /** Signs, and sends the slices of a stage. */
  async sign(order: WholePassOrder, slices: Parts<StageSlice>): Promise<SigningReport> {
    const { whole } = order;
    const privateKeys = await privateKeysOf(order);
    const connection = openReader(this.#file);
    const late = new LateSigning();
    try {
      const sender = new SliceSender(this.#file, slices);
      const writer = new StageWriter(blockCutOf(connection), (slice) => sender.send(slice), true);
      const prior = await userRecordsOf(connection, whole, writer);
      const signed = changesOf(connection, whole, privateKeys, prior, late);
      const walk = new ChangeWalk(
        ownerGroups(blocksOf(connection, whole.generation)),
        prior,
        writer,
      );
      await writeSigned(signed.changes, late, walk);
      await walk.rest();
      const report = await writer.finish();
      await sender.finish();
      return { ...report, signatures: signed.made(), largestTtl: signed.largestTtl() };
    } finally {
      late.close();
      connection.close();
    }
  }
}

/** Writes the stage in the order of its owners, while signatures of later ones are made. */
async function writeSigned(
  signed: Iterable<OwnerChange>,
  late: LateSigning,
  walk: ChangeWalk,
): Promise<void> {
  const ahead: { readonly changes: readonly OwnerChange[]; readonly ordered: number }[] = [];
  const writeFirst = async () => {
    const { changes, ordered } = ahead.shift()!;
    late.join(ordered);
    for (const change of changes) await walk.change(change);
  };
  let changes: OwnerChange[] = [];
  let ordered = 0;
  for (const change of signed) {
    changes.push(change);
    if (late.ordered - ordered < signaturesAtOnce && changes.length < signaturesAtOnce) continue;
    ({ ordered } = late);
    ahead.push({ changes, ordered });
    changes = [];
    if (ahead.length > maxAhead) await writeFirst();
  }
  ahead.push({ changes, ordered: late.ordered });
  while (ahead.length > 0) await writeFirst();
}

interface UserChangeSet {
  readonly removed: readonly ZoneRecord[];
  readonly added: readonly ZoneRecord[];
  /** What signatures depend on; where the blocks hold the step already, nothing of it is laid over. */
  readonly changed: ReadonlySet<string> | undefined;
}

/** The user records of the step in canonical order; of one that was staged they are copied into the delta. */
async function userRecordsOf(
  connection: Connection,
  { staged, ...whole }: WholePass,
  writer: StageWriter,
): Promise<UserChangeSet> {
  if (staged === undefined) {
    const removed = whole.removed.map(withBuffer).sort(compareRecords) as ZoneRecord[];
    const added = whole.added.map(withBuffer).sort(compareRecords) as ZoneRecord[];
    return { removed, added, changed: undefined };
  }
  const changed = new Set<string>();
  const query = new PartQuery(connection, 'whole', 'WHERE place BETWEEN ? AND ? ORDER BY place');
  const parts = query.iterate(...rangeOfDelta(staged.number));
  for (const part of parts) {
    for (const { owner, type } of unpackRecords(part.records)) changed.add(`${type} ${owner}`);
    if (writer.copyPart(part)) await writer.handOver();
  }
  return { removed: [], added: [], changed };
}

/** The owners whose DNSSEC records change, in canonical order. */
function changesOf(
  connection: Connection,
  whole: WholePass,
  privateKeys: ReadonlyMap<number, Uint8Array>,
  prior: UserChangeSet,
  late: LateSigning,
): { readonly changes: Iterable<OwnerChange>; made(): number; largestTtl(): number } {
  const records = () => recordsOf(connection, whole.generation);
  if (whole.pass === undefined) {
    return { changes: unsigned(records()), made: () => 0, largestTtl: () => 0 };
  }
  late.beginPass();
  const verifier = late.verifierOf(cachingNobleVerifier());
  const { settings, keys, withdrawing, now, reuse } = whole.pass;
  const signers = new Map(
    [...signingKeys(keys)].map((key) => {
      const privateKey = privateKeys.get(key.id);
      assert(privateKey !== undefined, 'every key that signs comes with its private half');
      const pair = openKeyPair(Buffer.from(privateKey), Buffer.from(key.dnskey), verifier);
      return [key.id, late.signerOf(pair)];
    }),
  );
  const ownKeys = keys.map((key) => ({ ...key, dnskey: Buffer.from(key.dnskey) }));
  const { apex } = settings;
  const plan = planKeys(ownKeys, (key) => signers.get(key.id)!, { apex, withdrawing, now });
  const ownSettings = { ...settings, soaRdata: Buffer.from(settings.soaRdata) };
  const pass = startPass(ownSettings, plan, now, verifier, reuse);
  const zone =
    prior.changed === undefined
      ? overlaidZone(records, prior)
      : {
          records,
          changed: (owner: NameKey, type: number) => prior.changed!.has(`${type} ${owner}`),
        };
  let largest = 0;
  const watched = {
    ...zone,
    *records() {
      for (const record of zone.records()) {
        if (record.ttl > largest) largest = record.ttl;
        yield record;
      }
    },
  };
  return {
    changes: signWhole(pass, watched),
    made: () => pass.audit.made,
    largestTtl: () => largest,
  };
}

/** All generated DNSSEC records are removed. */
function* unsigned(records: Iterable<ResourceRecord>): Generator<OwnerChange> {
  let owner: NameKey | undefined;
  let removed: ResourceRecord[] = [];
  for (const record of records) {
    if (!dnssecTypes.has(record.type)) continue;
    if (record.owner !== owner && removed.length > 0) {
      yield { owner: owner!, removed, added: [] };
      removed = [];
    }
    owner = record.owner;
    removed.push(record);
  }
  if (removed.length > 0) yield { owner: owner!, removed, added: [] };
}

function* recordsOf(connection: Connection, generation: number): Generator<ResourceRecord> {
  for (const { records } of blocksOf(connection, generation)) yield* unpackRecords(records);
}

function* blocksOf(connection: Connection, generation: number): Generator<BlockRow> {
  const page = new BlockQuery(
    connection,
    `WHERE content = ? AND first > ? ORDER BY first LIMIT ${blocksPerRead}`,
  );
  const first = new BlockQuery(connection, "WHERE content = ? AND first = x''");
  let last = first.get(generation);
  if (last === undefined) throw damageIn(connection, { table: 'block', content: generation });
  yield last;
  while (last.next !== null) {
    const rows = page.all(generation, last.first);
    if (rows.length === 0) throw damageIn(connection, { table: 'block', content: generation });
    for (const row of rows) {
      if (!last.next?.equals(row.first))
        throw damageIn(connection, { table: 'block', content: generation });
      yield row;
      last = row;
    }
  }
}
