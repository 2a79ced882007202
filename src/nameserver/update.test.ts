/** Updates at the door: who is refused before the law is asked, and what its answers become. */
import { describe, expect, it } from 'vitest';
import { wireName } from '../../spec/support/dns-messages.ts';
import { makeZone } from '../../spec/support/memory-zones.ts';
import { Problem, type ProblemCode } from '../base/problem.ts';
import { rcodeName } from '../dns/wire/header.ts';
import type { DynamicUpdate, UpdateOutcome, UpdateRcode } from '../domain/dynamic-update.ts';
import type { SubmitOptions } from '../writer/submission.ts';
import { silentLog } from '../telemetry/log.ts';
import { replyRcode } from './reply.ts';
import { type Request, readRequest } from './request.ts';
import { UpdateHandler } from './update.ts';
import { signedMessage } from './update-replay.ts';

type Judge = () => Promise<UpdateOutcome>;

const zone = makeZone('example.com');
/** Milliseconds since 1970. */
const startedAt = 1_000_000;
/** Stands for the signature of an answer that says BADTIME. */
const badTime = { bytes: 0, sign: (_: Buffer, length: number) => length };
const does =
  (verdict: UpdateRcode): Judge =>
  async () => ({ rcode: verdict, zone });
const fails =
  (code: ProblemCode): Judge =>
  async () => {
    throw new Problem(code, 'no');
  };

function via(
  judge: Judge,
  { tsigRequired = true, isServed = true, appliedBefore = [] as number[] } = {},
) {
  const submitted: { command: DynamicUpdate; options: SubmitOptions }[] = [];
  const logged: [string, Record<string, unknown>][] = [];
  const note = (event: string, fields = {}) => void logged.push([event, fields]);
  let judged = judge;
  const handler = new UpdateHandler({
    writer: {
      submit(command, options) {
        submitted.push({ command, options });
        return judged();
      },
    },
    log: { ...silentLog(), writes: () => true, info: note, warn: note },
    clock: () => startedAt,
    appliedSince: () => appliedBefore.map((mac) => signedMessage(request(mac).signedBy!).identity),
    tsigRequired,
  });
  const ask = async (request: Request) => {
    const reply = await handler.answer(request, () => isServed);
    return rcodeName(replyRcode(reply, request));
  };
  const becomes = (next: Judge) => {
    judged = next;
  };
  return { ask, becomes, submitted, logged };
}

/** An update of example.com that deletes a name; signed by MAC unless that is null. */
function request(
  mac: number | null = 1,
  name = 'www.example.com',
  timeSigned = startedAt / 1000,
): Request {
  const header = Buffer.from([0x12, 0x34, 0x28, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
  const question = Buffer.concat([wireName('example.com'), Buffer.from([0, 6, 0, 1])]);
  const deletion = Buffer.concat([wireName(name), Buffer.from([0, 255, 0, 255, 0, 0, 0, 0, 0, 0])]);
  const bytes = Buffer.concat([header, question, deletion]);
  const plain = readRequest(
    bytes,
    { address: '192.0.2.1', transport: 'udp' },
    { tcpIdleSeconds: 30 },
  );
  if (mac === null) return plain;
  const signedBy = {
    ...{ id: 7, name: 'key', roleId: 1, mac: Buffer.alloc(32, mac), fudgeSeconds: 300 },
    timeSigned,
    createdAt: 0,
    badTimeSigner: () => badTime,
  };
  return { ...plain, signedBy };
}

describe('an update', () => {
  it('reaches the law with its key', async () => {
    const { ask, submitted, logged } = via(does('NOERROR'));
    expect(await ask(request())).toBe('NOERROR');
    expect(submitted).toEqual([
      {
        command: {
          kind: 'dynamic-update',
          zoneName: 'example.com',
          prerequisites: [],
          operations: [{ kind: 'delete-name', owner: 'www\0' }],
        },
        options: {
          source: 'nsupdate',
          actor: { kind: 'tsig_key', id: 7, name: 'key' },
          requestId: `7-${'01'.repeat(16)}`,
          dryRun: false,
        },
      },
    ]);
    const fields = { zone: 'example.com', key: 'key', client: '192.0.2.1', rcode: 'NOERROR' };
    expect(logged).toEqual([['dns.update', { ...fields, transport: 'udp' }]]);
  });

  it('without signature is refused, or done by nobody in particular', async () => {
    const strict = via(does('NOERROR'));
    expect(await strict.ask(request(null))).toBe('REFUSED');
    expect(strict.submitted).toEqual([]);
    expect(strict.logged[0]).toMatchObject(['dns.update-refused', { key: null }]);
    const open = via(does('NOERROR'), { tsigRequired: false });
    expect(await open.ask(request(null))).toBe('NOERROR');
    expect(await open.ask(request(null))).toBe('NOERROR');
    expect(open.submitted.map(({ options }) => options.actor)).toEqual([null, null]);
  });

  it.each<[string, Judge]>([
    ['NXDOMAIN', does('NXDOMAIN')],
    ['YXDOMAIN', does('YXDOMAIN')],
    ['NXRRSET', does('NXRRSET')],
    ['YXRRSET', does('YXRRSET')],
    ['REFUSED', fails('FORBIDDEN')],
    ['REFUSED', fails('RECORD_CONFLICT')],
    ['REFUSED', fails('INVALID_RECORD_VALUE')],
    ['REFUSED', fails('INVALID_ZONE_FIELD')],
    ['REFUSED', fails('ZONE_CONFLICT')],
    ['NOTAUTH', fails('ZONE_NOT_FOUND')],
    ['SERVFAIL', fails('OVERLOADED')],
    ['SERVFAIL', fails('INTERNAL')],
  ])('is answered %s', async (expected, judge) => {
    expect(await via(judge).ask(request())).toBe(expected);
  });

  it('whose key has a role that gives reasons is not told of a header', async () => {
    const { ask, logged } = via(fails('REASON_REQUIRED'));
    expect(await ask(request())).toBe('REFUSED');
    const reason = expect.stringContaining('an UPDATE has no place for one');
    expect(logged[0]).toMatchObject(['dns.update-refused', { reason }]);
  });

  it('of another zone’s name is NOTZONE when all before it holds; of a zone that is not served NOTAUTH', async () => {
    const elsewhere = request(1, 'www.example.org');
    const { ask, becomes, submitted, logged } = via(does('NOTZONE'));
    expect(await ask(elsewhere)).toBe('NOTZONE');
    expect(submitted[0]!.command).toMatchObject({ messageError: 'NOTZONE', operations: [] });
    expect(logged[0]).toMatchObject([
      'dns.update-refused',
      { reason: expect.stringContaining('outside the zone') },
    ]);
    becomes(fails('ZONE_NOT_FOUND'));
    expect(await ask(request(2, 'www.example.org'))).toBe('NOTAUTH');
    const gone = { isServed: false };
    expect(await via(does('NOERROR'), gone).ask(request(null))).toBe('NOTAUTH');
  });
});

describe('an update that comes again', () => {
  it('gets the answer of then, and is not done again', async () => {
    const { ask, becomes, submitted } = via(does('NXRRSET'));
    expect(await ask(request(1))).toBe('NXRRSET');
    becomes(does('NOERROR'));
    expect(await ask(request(1))).toBe('NXRRSET');
    expect(await ask(request(2))).toBe('NOERROR');
    expect(submitted).toHaveLength(2);
  });

  it('is refused where it may have been answered before the start, unless that changed something', async () => {
    const { ask, submitted, logged } = via(does('NOERROR'), { appliedBefore: [1] });
    const before = startedAt / 1000 - 1;
    expect(await ask(request(1, undefined, before))).toBe('NOERROR');
    expect(await ask(request(2, undefined, before))).toBe('NOTAUTH');
    expect(submitted).toEqual([]);
    const reason = expect.stringMatching(/^BADTIME: .*sign it anew$/);
    expect(logged).toMatchObject([['dns.update-refused', { rcode: 'NOTAUTH', reason }]]);
    expect(await ask(request(2))).toBe('NOERROR');
  });

  it('before the first is answered waits for that answer', async () => {
    const waiting: (() => void)[] = [];
    const { ask, submitted } = via(async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return { rcode: 'NOERROR', zone };
    });
    const both = Promise.all([ask(request()), ask(request())]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(submitted).toHaveLength(1);
    waiting[0]!();
    expect(await both).toEqual(['NOERROR', 'NOERROR']);
  });

  it('is tried again after a failure of ours', async () => {
    const { ask, becomes, submitted } = via(fails('OVERLOADED'));
    expect(await ask(request())).toBe('SERVFAIL');
    becomes(async () => {
      throw new TypeError('a bug');
    });
    await expect(ask(request())).rejects.toThrow('a bug');
    becomes(does('NOERROR'));
    expect(await ask(request())).toBe('NOERROR');
    expect(await ask(request())).toBe('NOERROR');
    expect(submitted).toHaveLength(3);
  });
});

it('refusals are logged with key, zone, record and action (case 20), though not without end', async () => {
  const { ask, logged } = via(async () => {
    throw new Problem('FORBIDDEN', "action 'record:delete' is needed on www.example.com. A");
  });
  for (let mac = 0; mac < 200; mac++) await ask(request(mac));
  expect(logged).toHaveLength(100);
  const fields = { zone: 'example.com', key: 'key', rcode: 'REFUSED' };
  expect(logged[0]).toMatchObject(['dns.update-refused', fields]);
  expect(logged[0]![1].reason).toMatch(/record:delete.*www.example.com. A$/);
});
