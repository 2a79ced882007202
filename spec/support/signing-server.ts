/**
 * A nameserver over stored zones that the writer signs, in this process: what DNSSEC answers are
 * tested on. Nothing is faked; only the HTTP interface is left out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { parseAbsoluteName } from '../../src/dns/name.ts';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { dsRdata } from '../../src/dnssec/dnskey.ts';
import { generateKey, serializePrivateKey } from '../../src/dnssec/key-pair.ts';
import { nobleVerifier } from '../../src/dnssec/noble.ts';
import { bearsDs } from '../../src/dnssec/zone-key.ts';
import type { Command, OutcomeOf } from '../../src/domain/command.ts';
import type { RecordInput } from '../../src/domain/record.ts';
import { Writer } from '../../src/writer/writer.ts';
import { Journal } from '../../src/journal/journal.ts';
import { Keystore } from '../../src/keystore/keystore.ts';
import { createNameserver } from '../../src/nameserver/nameserver.ts';
import { NodeReader } from '../../src/query/node-reader.ts';
import { SecondaryQueries } from '../../src/query/named-queries.ts';
import { SnapshotPool } from '../../src/query/snapshot.ts';
import { silentLog } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { apiOptions, catalogZoneName, zoneDefaults } from './stored-zones.ts';
import { openTestDatabase } from './test-database.ts';

export type DenialMode = 'nsec' | 'nsec3';

const algorithm = 13;

export class SigningServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'zonebook-signing-'));
  readonly #database = openTestDatabase(this.folder);
  readonly #metrics = createMetrics();
  readonly #writer: Writer;
  readonly #snapshots = new SnapshotPool(this.#database.file);
  readonly #nameserver: ReturnType<typeof createNameserver>;
  readonly #keys = new Map<string, Buffer>();
  port = 0;

  constructor() {
    const { connection } = this.#database;
    connection.pragma('synchronous = OFF');
    const journal = new Journal(connection);
    const keystore = new Keystore(connection, join(this.folder, 'keys.key'));
    this.#writer = new Writer(
      { connection, journal, keystore, clock: systemClock },
      { zoneDefaults, catalogZoneName },
    );
    this.#nameserver = createNameserver(
      {
        nodes: new NodeReader(connection),
        secondaries: new SecondaryQueries(connection),
        snapshots: this.#snapshots,
        transferLog: { record: () => {} },
        metrics: this.#metrics,
        log: silentLog(),
        clock: systemClock,
      },
      {
        listenAddr: '127.0.0.1',
        listenPort: 0,
        answerQueries: true,
        ixfrCondense: true,
        tcpMaxConnections: 128,
        tcpQueriesInWork: 16,
        tcpIdleTimeoutSecs: 30,
        spoolFolder: this.folder,
      },
    );
  }

  async start(): Promise<void> {
    await this.run({ kind: 'ensure-default-policy' });
    await this.run({ kind: 'create-policy', name: 'nsec', denial: 'nsec' });
    await this.run({ kind: 'create-policy', name: 'nsec3', denial: 'nsec3' });
    await this.run({
      kind: 'create-secondary',
      name: 'here',
      address: '127.0.0.1:9',
      notifyKeyName: undefined,
    });
    this.port = (await this.#nameserver.start()).udp;
  }

  run<C extends Command>(command: C): Promise<OutcomeOf<C>> {
    return this.#writer.submit(command, apiOptions);
  }

  /** Stores a zone of records written `owner type value`, one a line, beside its NS. */
  async create(name: string, text: string, mname = `ns1.${name}`): Promise<void> {
    await this.run({
      kind: 'create-zone',
      name,
      mname,
      rname: `hostmaster@${name}`,
      minimumTtl: 600,
    });
    await this.add(name, text);
  }

  /** Adds records, written the same way. */
  async add(zoneName: string, text: string): Promise<void> {
    const lines = text.split('\n').map((line) => line.trim());
    const records = lines.filter((line) => line !== '').map(recordOf);
    await this.run({ kind: 'create-records', zoneName, records });
  }

  /** Signs a zone with one key; returns the DS of it in text. */
  async sign(zoneName: string, denial: DenialMode): Promise<string> {
    const id = this.#keys.size + 1;
    const taken = [...this.#keys.values()];
    const { dnskey, privateKey } = await generateKey(
      algorithm,
      bearsDs('csk'),
      taken,
      nobleVerifier,
    );
    const pkcs8 = serializePrivateKey(privateKey);
    this.#keys.set(zoneName, dnskey);
    await this.run({
      kind: 'enable-signing',
      zoneName,
      policyName: denial,
      parentNsAddrs: ['127.0.0.1:9'],
      keys: [{ id, algorithm, role: 'csk', dnskey, privateKey: pkcs8 }],
    });
    return printRdata(rrtype.DS, dsRdata(parseAbsoluteName(zoneName), dnskey));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#nameserver.stop();
    await this.#writer.close();
    this.#snapshots.close();
    this.#metrics.close();
    this.#database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function recordOf(line: string): RecordInput {
  const [name, type, ...words] = line.split(' ');
  const priority = type === 'MX' || type === 'SRV' ? Number(words.shift()) : undefined;
  const value = words.join(' ');
  return { name: name!, type: type!, value, ...(priority === undefined ? {} : { priority }) };
}

export async function startSigningServer(): Promise<SigningServer> {
  const server = new SigningServer();
  await server.start();
  return server;
}
