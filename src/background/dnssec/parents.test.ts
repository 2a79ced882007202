/** Questions to real parents: named, knotd and nsd, unsigned and signed, and a server of the child. */
import { execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openOutbound } from '../../../spec/support/destination.ts';
import { needsPeers, peer } from '../../../spec/support/peers.ts';
import { freePort } from '../../../spec/support/ports.ts';
import { type RunningPrimary, startPrimary } from '../../../spec/support/primaries.ts';
import { parseRdataText } from '../../dns/rdata/rdata.ts';
import { denyWords, noAnswer } from '../../outbound/policy.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { decodeMessage } from '../../dns/wire/decode.ts';
import { encodeMessage } from '../../../spec/support/encode-message.ts';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import { askParents, type Parents } from './parents.ts';

const parentName = 'parent.example';
const serial = 5;
const oneDs = `60485 5 1 ${'2bb183af5f22588179a53b0a98631fad1a292118'}`;
const otherDs = `4711 13 2 ${'0c'.repeat(32)}`;
/** More than 1232 bytes hold. */
const manyDs = Array.from({ length: 40 }, (_, tag) => {
  return `${tag + 1} 13 2 ${(tag + 16).toString(16).repeat(32)}`;
});

const parentText = `$ORIGIN ${parentName}.
$TTL 3600
@ SOA ns hostmaster ${serial} 7200 3600 1209600 300
@ NS ns
ns A 127.0.0.1
secure 900 NS ns.secure
secure 900 DS ${oneDs}
secure 900 DS ${otherDs}
ns.secure A 127.0.0.1
plain NS ns.plain
ns.plain A 127.0.0.1
many NS ns.elsewhere.example.
${manyDs.map((ds) => `many DS ${ds}`).join('\n')}
alias CNAME ns
renamed DNAME elsewhere.example.
`;

const childText = `$ORIGIN plain.${parentName}.
$TTL 3600
@ SOA ns hostmaster ${serial} 7200 3600 1209600 300
@ NS ns
ns A 127.0.0.1
`;

const rdataOf = (text: string) => parseRdataText(rrtype.DS, text).toString('hex');

/** What was said, in an order of its own: servers turn RRsets round. */
function said(answer: ParentAnswer | undefined): unknown {
  if (answer === undefined || 'failure' in answer) return answer?.failure;
  return {
    ds: answer.ds.map((rdata) => rdata.toString('hex')).sort(),
    ttlSeconds: answer.ttlSeconds,
  };
}

const outbound = openOutbound();
/** Servers that somebody named who runs the service. */
const named = (parentNsAddrs: readonly string[]): Parents => ({
  parentNsAddrs,
  parentsReach: 'private',
});
const askPort = async (port: number, zoneName: string) => {
  const [answer] = await askParents(zoneName, named([`127.0.0.1:${port}`]), { outbound });
  return said(answer);
};

/** The parent's zone, signed by BIND with NSEC3 and opt-out, as large parents are. */
function signedParent(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-parent-'));
  try {
    const run = (program: string, ...args: string[]) =>
      execFileSync(peer(program)!, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    run('dnssec-keygen', '-a', 'ECDSAP256SHA256', '-f', 'KSK', parentName);
    run('dnssec-keygen', '-a', 'ECDSAP256SHA256', parentName);
    writeFileSync(join(folder, 'zone.db'), parentText);
    run('dnssec-signzone', '-S', '-3', '-', '-A', '-H', '0', '-o', parentName, 'zone.db');
    return readFileSync(join(folder, 'zone.db.signed'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const kind of ['named', 'knotd', 'nsd'] as const) {
  needsPeers(kind, 'dig')(`${kind} as the parent`, () => {
    const started: RunningPrimary[] = [];
    async function start(zone: string, text: string): Promise<number> {
      const primary = await startPrimary(kind, zone, text);
      started.push(primary);
      return primary.port;
    }
    afterAll(async () => {
      for (const primary of started) await primary[Symbol.asyncDispose]();
    });

    async function tellsAll(port: number): Promise<void> {
      expect(await askPort(port, `Secure.${parentName}`)).toEqual({
        ds: [rdataOf(otherDs), rdataOf(oneDs)].sort(),
        ttlSeconds: 900,
      });
      const many = { ds: manyDs.map(rdataOf).sort(), ttlSeconds: 3600 };
      expect(await askPort(port, `many.${parentName}`)).toEqual(many);
      const none = { ds: [], ttlSeconds: null };
      expect(await askPort(port, `plain.${parentName}`)).toEqual(none);
      expect(await askPort(port, `not-delegated.${parentName}`)).toEqual(none);
    }

    it('tells the DS, all of it, and that there is none', async () => {
      await tellsAll(await start(parentName, parentText));
    });

    needsPeers('dnssec-signzone', 'dnssec-keygen')('signed', () => {
      it('tells the same, with signatures and opt-out', async () => {
        await tellsAll(await start(parentName, signedParent()));
      });
    });

    it('is not believed about names that it can not speak for', async () => {
      const port = await start(parentName, parentText);
      expect(await askPort(port, `sub.plain.${parentName}`)).toBe(
        `referred to the servers of plain.${parentName}. instead of answering`,
      );
      expect(await askPort(port, 'elsewhere.test')).toBe('answered REFUSED');
      expect(await askPort(port, `alias.${parentName}`)).toMatch(/^answered with a CNAME/);
      expect(await askPort(port, `below.renamed.${parentName}`)).toMatch(/^answered with a .NAME/);
    });

    it('is not the server of the child', async () => {
      const port = await start(`plain.${parentName}`, childText);
      expect(await askPort(port, `plain.${parentName}`)).toBe(
        "answered with the zone's own SOA: it is a server of the zone, not of its parent",
      );
    });
  });
}

describe('the parents of a zone', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });

  /** A server whose SOA says that there is no DS. */
  async function denyDs(port: number, address = '127.0.0.1') {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    let asked = 0;
    socket.on('message', (request, from) => {
      asked++;
      const message = decodeMessage(request);
      const [{ name }] = message.questions as [(typeof message.questions)[0]];
      const owner = name.slice(0, name.indexOf('\0') + 1) as typeof name;
      const soa = { name: owner, type: rrtype.SOA, class: 1, ttl: 60, rdata: Buffer.alloc(22) };
      const answer = { ...message, response: true, authoritative: true, authorities: [soa] };
      socket.send(encodeMessage(answer), from.port, from.address);
    });
    socket.bind(port, address);
    await once(socket, 'listening');
    closing.push(() => socket.close());
    return { count: () => asked };
  }

  const none = { ds: [], ttlSeconds: null };

  it('are asked at every address, each once', async () => {
    // However late its answer is, none is asked again.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const port = await freePort();
    const four = await denyDs(port);
    const six = await denyDs(port, '::1');
    const hosts = openOutbound(async (host) =>
      host === 'both.test' ? ['127.0.0.1', '::1', '127.0.0.1'] : ['::1'],
    );
    const entries = [`both.test:${port}`, `six.test:${port}`, `[::1]:${port}`];
    expect(await askParents('child.example', named(entries), { outbound: hosts })).toEqual([
      { address: `127.0.0.1:${port} (both.test)`, ...none },
      { address: `[::1]:${port} (both.test)`, ...none },
    ]);
    expect([four.count(), six.count()]).toEqual([1, 1]);
  });

  it('that can not be asked are told beside those that can', async () => {
    const [port, dead] = [await freePort(), await freePort()];
    await denyDs(port);
    const hosts = openOutbound(async (host) => {
      if (host === 'empty.test') return [];
      throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    });
    const entries = ['gone.test:53', `127.0.0.1:${dead}`, 'empty.test:53', `127.0.0.1:${port}`];
    expect(await askParents('child.example', named(entries), { outbound: hosts })).toEqual([
      {
        address: 'gone.test:53',
        failure: 'gone.test does not resolve (getaddrinfo ENOTFOUND gone.test)',
      },
      { address: `127.0.0.1:${dead}`, failure: expect.stringContaining('can not be reached') },
      { address: 'empty.test:53', failure: 'empty.test has no address' },
      { address: `127.0.0.1:${port}`, ...none },
    ]);
  });

  it('that are silent are asked twice, all at once', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const address = `127.0.0.${2 + at}`;
        const socket = createSocket('udp4');
        let asked = 0;
        socket.on('message', () => asked++);
        socket.bind(0, address);
        await once(socket, 'listening');
        closing.push(() => socket.close());
        return { entry: `${address}:${socket.address().port}`, count: () => asked };
      }),
    );
    const start = performance.now();
    const entries = sockets.map(({ entry }) => entry);
    expect(await askParents('child.example', named(entries), { outbound })).toEqual(
      entries.map((address) => ({ address, failure: 'did not answer within 2 s' })),
    );
    // Two tries of 2 s each; one after the other they would take 32 s.
    expect(performance.now() - start).toBeLessThan(25_000);
    await expect.poll(() => sockets.map(({ count }) => count())).toEqual(Array(8).fill(2));
  });

  it('may be none', async () => {
    expect(await askParents('child.example', named([]), { outbound })).toEqual([]);
  });
});

describe('case 112: servers that were named by somebody for one zone', () => {
  it('are not told apart when they fail, and not asked where they are private', async () => {
    const [silent, dead, wrong] = [await freePort(), await freePort(), await freePort()];
    const sockets: Socket[] = [];
    let asked = 0;
    for (const port of [silent, wrong]) {
      const socket = createSocket('udp4');
      socket.on('message', (_, from) => {
        asked++;
        if (port === wrong) socket.send('nonsense', from.port, from.address);
      });
      socket.bind(port, '127.0.0.1');
      await once(socket, 'listening');
      sockets.push(socket);
    }
    const entries = [silent, dead, wrong].map((port) => `127.0.0.1:${port}`);
    const others = ['gone.test:53', 'two.test:53', '169.254.169.254:53'];
    const lookup = async (host: string) => {
      if (host === 'two.test') return ['10.0.0.1', '127.0.0.1'];
      throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    };
    const told = (parentNsAddrs: readonly string[], allow: readonly string[]) =>
      askParents(
        'child.example',
        { parentNsAddrs, parentsReach: 'public' },
        { outbound: openOutbound(lookup, { deny: denyWords, allow }) },
      );
    const [allowed, refused] = await Promise.all([
      told([...entries, ...others], ['127.0.0.1']),
      told(entries, []),
    ]);
    const alike = (named: readonly string[]) =>
      named.map((address) => ({ address, failure: noAnswer }));
    expect(allowed).toEqual(alike([...entries, ...others]));
    expect(refused).toEqual(alike(entries));
    // Two servers, asked twice each, by those alone who may.
    await expect.poll(() => asked).toBe(4);
    for (const socket of sockets) socket.close();
  });
});
