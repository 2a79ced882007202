/** Why a change was made: said with it, kept with its event, demanded where a role demands it. */
import { userInfo } from 'node:os';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { InProcessService } from '../support/in-process.ts';
import { needsPeers } from '../support/peers.ts';
import { startService } from '../support/service.ts';
import { makeUpdateKey, makeZoneOf, sendUpdate } from '../support/updaters.ts';

const zone = 'why.example';
let service: InProcessService;
let token: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.createZone(zone);
  token = await service.tokenOf('boss', 'admin');
});
afterAll(() => service.close());

let names = 0;

const encoded = (text: string) => `UTF-8''${encodeURIComponent(text)}`;

/** Texts that show nothing, which no trimming takes away. */
const invisible: readonly (readonly [string, string])[] = [
  ['zero-width space', '\u200b'],
  ['zero-width joiners between spaces', '\u200d \u200c'],
  ['word joiner', '\u2060'],
  ['byte order mark within', '\u2060\ufeff\u2060'],
  ['soft hyphen', '\u00ad'],
  ['Hangul fillers', '\u3164\u115f\u1160\uffa0'],
  ['Braille without dots', '\u2800'],
  ['variation selector', '\ufe0f'],
  ['tags', '\u{e0041}\u{e007f}'],
  ['Mongolian vowel separator', '\u180e'],
  ['invisible operators', '\u2061\u2062\u2063\u2064'],
  ['accents on nothing', '\u0301'],
  ['null notehead', '\u{1d159}'],
  ['private use', '\ue000'],
  ['no character at all', '\u{10ffff}'],
];

/** Creates a record; the answer's status, its code and message. */
async function write(headers: Record<string, string>, secret = token, method = 'POST') {
  const answer = await service.request('/records', {
    method,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      ...headers,
    },
    body: JSON.stringify({ zone_name: zone, name: `n${++names}`, type: 'A', value: '192.0.2.1' }),
  });
  const { code = 'OK', error = '' } = (await answer.json()) as { code?: string; error?: string };
  return { status: answer.status, code, error };
}

async function latest() {
  const history = await service.call(
    'GET',
    `/zones/${zone}/history?limit=1`,
    undefined,
    200,
    token,
  );
  const [{ reason, reference }] = history.items;
  const versions = await service.call(
    'GET',
    `/zones/${zone}/versions?limit=1`,
    undefined,
    200,
    token,
  );
  expect(versions.items[0]).toMatchObject({ change_reason: reason, change_reference: reference });
  return { reason, reference };
}

describe('Zonebook-Reason and Zonebook-Reference', () => {
  it('stand in the history and with the version', async () => {
    expect(
      (await write({ 'zonebook-reason': 'new rack', 'zonebook-reference': 'OPS-7' })).code,
    ).toBe('OK');
    expect(await latest()).toEqual({ reason: 'new rack', reference: 'OPS-7' });
    await write({});
    expect(await latest()).toEqual({ reason: null, reference: null });
    await write({ 'zonebook-reason': '  ' });
    expect(await latest()).toEqual({ reason: null, reference: null });
  });

  it('take any text in the form of RFC 8187, and give it back as it was', async () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const said = await write({ 'zonebook-reason': `UTF-8''${encodeURIComponent(text)}` });
        if (said.status === 400) {
          expect(said.error).toContain('control characters');
          return;
        }
        const shows = /[!-~]/.test(text);
        expect([text.trim(), ...(shows ? [] : [null])]).toContain((await latest()).reason);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['zonebook-reason', 'x'.repeat(1001), 'more than 1000 characters'],
    ['zonebook-reference', 'x'.repeat(201), 'more than 200 characters'],
    ['zonebook-reason', 'f\u00fcr', 'RFC 8187'],
    ['zonebook-reason', "UTF-8''%c3", 'percent-encoded'],
    ['zonebook-reason', "UTF-8''a%0Ab", 'control characters'],
    ['zonebook-reason', "UTF-8''a%E2%80%AEb", 'control characters'],
  ])('%s %j is refused, and nothing is written', async (name, value, says) => {
    const before = await latest();
    const { status, error } = await write({ [name]: value });
    expect(status).toBe(400);
    expect(error.toLowerCase()).toContain(name);
    expect(error).toContain(says);
    expect(await latest()).toEqual(before);
  });

  it('keep what joins and varies characters that show', async () => {
    for (const text of [
      '\u{1f469}\u200d\u{1f680}',
      'نمی\u200cخواهم',
      '\u2764\ufe0f',
      '→',
      '?',
      '雨',
    ]) {
      await write({ 'zonebook-reason': encoded(text) });
      expect((await latest()).reason).toBe(text);
    }
  });

  it.each(invisible)('that show nothing (%s) are none', async (_, text) => {
    await write({ 'zonebook-reason': encoded(text), 'zonebook-reference': encoded(`${text} `) });
    expect(await latest()).toEqual({ reason: null, reference: null });
  });

  it('count characters, not bytes', async () => {
    const text = '\u{1f600}'.repeat(1000);
    await write({ 'zonebook-reason': `UTF-8''${encodeURIComponent(text)}` });
    expect((await latest()).reason).toBe(text);
  });
});

describe('a role that demands a reason', () => {
  it('has no write without one, whatever it is about, and every read', async () => {
    const everything = { actions: ['record:create', 'record:read', 'zone:read', 'zone:create'] };
    const secret = await service.tokenOf('careful', [everything]);
    expect((await write({}, secret)).code).toBe('OK');
    const update = { reason_required: true };
    const changed = await service.call('PUT', '/roles/careful', update, 200, token);
    expect(changed.role).toMatchObject({ name: 'careful', reason_required: true });

    expect(await write({}, secret)).toMatchObject({ status: 400, code: 'REASON_REQUIRED' });
    expect((await write({ 'zonebook-reference': 'OPS-8' }, secret)).code).toBe('REASON_REQUIRED');
    for (const [, text] of invisible) {
      const said = await write({ 'zonebook-reason': encoded(text) }, secret);
      expect([text, said.code]).toEqual([text, 'REASON_REQUIRED']);
    }
    const ofBody = { zones: [{ name: zone, delete: [] }], reason: '\u200b' };
    await service.refused('POST', '/changes', ofBody, 'REASON_REQUIRED', 'reason', secret);
    expect((await write({ 'zonebook-reason': 'new rack' }, secret)).code).toBe('OK');
    await service.call('GET', `/records?zone_name=${zone}`, undefined, 200, secret);
    expect(await service.call('GET', '/permissions', undefined, 200, secret)).toMatchObject({
      reason_required: true,
    });
    const dry = { zone_name: zone, name: 'dry', type: 'A', value: '192.0.2.1', dry_run: true };
    await service.call('POST', '/records', dry, 200, secret);
    const hidden = { zone_name: 'secret.example', name: 'x', type: 'A', value: '192.0.2.1' };
    const soa = { mname: 'ns.a.example', rname: 'h.a.example' };
    for (const [path, body] of [
      ['/records', hidden],
      ['/zones', { name: 'new.example', ...soa }],
      [
        '/records/bulk',
        { zone_name: zone, records: [{ name: 'y', type: 'A', value: '192.0.2.1' }] },
      ],
    ] as const) {
      const answer = await service.fetch('POST', path, body, secret);
      // The same for what is hidden and what is not, so that it tells nothing.
      expect(await answer.json()).toMatchObject({ code: 'REASON_REQUIRED' });
    }
    const off = { reason_required: false, description: 'who is on call' };
    await service.call('PUT', '/roles/careful', off, 200, token);
    expect((await write({}, secret)).code).toBe('OK');
    const role = (await service.call('GET', '/roles/careful', undefined, 200, token)).role;
    expect(role).toMatchObject(off);
  });

  it('is none of those that are built in', async () => {
    const body = { reason_required: true };
    await service.refused('PUT', '/roles/admin', body, 'INVALID_INPUT', 'built in', token);
  });
});

needsPeers('nsupdate')('an UPDATE', () => {
  it('of a key whose role demands a reason is refused; the command line says who and why', async () => {
    await using real = await startService({ ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'true' });
    await makeZoneOf(real, zone);
    const key = await makeUpdateKey(real, 'careful', zone);
    const target = { port: real.dnsPort, zone, key };
    const add = 'update add a.why.example 60 A 192.0.2.1';
    expect(await sendUpdate('nsupdate', target, add)).toBe('NOERROR');
    const cli = (...args: string[]) => run([...args, '-o', 'json'], { dataDir: real.dataDir });
    expect(await cli('role', 'update', 'role-of-careful', '--reason-required')).toMatchObject({
      code: 0,
    });
    expect(await sendUpdate('nsupdate', target, 'update delete a.why.example')).toBe('REFUSED');

    const why = ['--reason', 'für den Umzug', '--reference', 'OPS-9'];
    expect(await cli('record', 'create', zone, 'b', 'A', '192.0.2.2', ...why)).toMatchObject({
      code: 0,
    });
    const { items } = await real.must('GET', `/zones/${zone}/history?limit=1`);
    expect(items[0]).toMatchObject({
      reason: 'für den Umzug',
      reference: 'OPS-9',
      change_source: 'cli',
      changed_by: null,
    });
    const actor = {
      kind: 'local',
      claimed: true,
      name: expect.any(String),
      uid: expect.any(Number),
    };
    for (const path of ['versions', 'snapshots']) {
      const listed = await real.must('GET', `/zones/${zone}/${path}?limit=1`);
      expect(listed.items[0]).toMatchObject({ change_source: 'cli', changed_by: null, actor });
    }
    const table = await run(['zone', 'version', 'list', zone], { dataDir: real.dataDir });
    expect(table.out).toMatch(/ \S+ \(cli\)\n/);
    expect(await real.end()).toBe(0);
    const log = await cli('journal', 'log', '--limit', '1');
    const { SUDO_USER, SUDO_UID } = process.env;
    const { username, uid } = userInfo();
    expect(JSON.parse(log.out)).toMatchObject({
      items: [
        {
          reason: 'für den Umzug',
          changed_by: {
            kind: 'local',
            name: SUDO_USER ?? username,
            uid: Number(SUDO_UID ?? uid),
            claimed: true,
          },
        },
      ],
    });
    expect(await cli('journal', 'verify')).toMatchObject({ code: 0 });
  });
});
