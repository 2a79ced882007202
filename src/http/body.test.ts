import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { expectProblem, jsonType, record, send } from '../../spec/support/http-door.ts';
import { jsonOf } from '../../spec/support/json.ts';
import { limits } from '../base/limits.ts';
import { createApp } from './app.ts';

describe('bodies', () => {
  const services = fakeServices();
  const app = createApp(services);

  it('need application/json, whatever its parameters', async () => {
    const text = JSON.stringify(record);
    for (const type of ['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded']) {
      const response = await send(app, 'POST', '/records', text, { 'content-type': type });
      await expectProblem(response, 415, 'UNSUPPORTED_MEDIA_TYPE', type);
    }
    const bare = new Request('http://localhost/records', {
      method: 'POST',
      body: new Uint8Array(Buffer.from(text)),
    });
    await expectProblem(await app.fetch(bare), 415, 'UNSUPPORTED_MEDIA_TYPE', 'no media type');
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;',
    ]) {
      const response = await send(app, 'POST', '/records', text, { 'content-type': type });
      expect(response.status).toBe(201);
    }
  });

  it('come as they are or as gzip, in no other coding', async () => {
    const text = JSON.stringify(record);
    for (const coding of ['gzip', 'GZIP', 'x-gzip', 'identity', '']) {
      const body = /gzip/i.test(coding) ? gzipSync(text) : text;
      const headers = { ...jsonType, 'content-encoding': coding };
      const response = await app.request('/records', { method: 'POST', headers, body });
      expect([coding, response.status]).toEqual([coding, 201]);
    }
    for (const coding of ['br', 'deflate', 'zstd', 'gzip, gzip', 'compress']) {
      const headers = { ...jsonType, 'content-encoding': coding };
      const response = await app.request('/records', { method: 'POST', headers, body: text });
      expect(response.headers.get('accept-encoding')).toBe('gzip, identity');
      await expectProblem(response, 415, 'UNSUPPORTED_MEDIA_TYPE', `'${coding}'`);
    }
    const typed = await send(app, 'POST', '/records', text, { 'content-type': 'text/plain' });
    expect(typed.headers.get('accept-encoding')).toBeNull();
  });

  it('as gzip are refused when they are none, end early or unfold to too much', async () => {
    const packed = gzipSync(JSON.stringify(record));
    const post = (body: Buffer) => {
      const headers = { ...jsonType, 'content-encoding': 'gzip' };
      return app.request('/records', { method: 'POST', headers, body: new Uint8Array(body) });
    };
    for (const body of [Buffer.from('{}'), packed.subarray(0, 20), gzipSync('{')]) {
      await expectProblem(await post(body), 400, 'INVALID_JSON_BODY');
    }
    const bomb = gzipSync(Buffer.alloc(64 * limits.bodyBytes, ' '));
    expect(bomb.length).toBeLessThan(limits.bodyBytes);
    await expectProblem(await post(bomb), 413, 'PAYLOAD_TOO_LARGE');
    await expectProblem(await post(Buffer.alloc(0)), 400, 'INVALID_JSON_BODY', 'is empty');
  });

  it('may be missing on any method that needs none, with a JSON type or without', async () => {
    for (const [method, path] of [
      ['GET', '/zones'],
      ['DELETE', '/records/7'],
      ['POST', '/notify'],
      ['POST', '/notify/zones'],
      ['POST', '/zones/example.com/notify'],
    ] as const) {
      const response = await send(app, method, path, undefined, jsonType);
      expect([path, response.status]).toEqual([path, 200]);
      expect((await send(app, method, path)).status).toBe(200);
    }
  });

  it('are refused where none belongs, so that no wish is overlooked', async () => {
    const response = await send(app, 'DELETE', '/records/7', { dry_run: true });
    await expectProblem(response, 400, 'INVALID_JSON_BODY', "unknown field 'dry_run'");
    expect((await send(app, 'DELETE', '/records/7', {})).status).toBe(200);
    const typed = await send(app, 'DELETE', '/records/7', 'x', { 'content-type': 'text/plain' });
    await expectProblem(typed, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('must be JSON objects', async () => {
    for (const text of ['', '{', '[]', '"x"', 'null', '7', '{"a":1,}', '\ufeff{}']) {
      const response = await send(app, 'POST', '/zones', text);
      await expectProblem(response, 400, 'INVALID_JSON_BODY');
    }
    const empty = await send(app, 'PUT', '/zones/example.com', '[]');
    await expectProblem(empty, 400, 'INVALID_JSON_BODY', 'must be an object');
    const broken = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')]);
    const init = { method: 'POST', headers: jsonType, body: broken };
    await expectProblem(await app.request('/zones', init), 400, 'INVALID_JSON_BODY', 'UTF-8');
  });

  it('name the field and the rule that was broken', async () => {
    for (const [change, says] of [
      [{ ttl: '300' }, '\'ttl\' must be a whole number, not "300"'],
      [{ ttl: 1.5 }, "'ttl' must be a whole number, not 1.5"],
      [{ dry_run: 'yes' }, "'dry_run' must be true or false"],
      [{ value: 7 }, "'value' must be a string or an array of strings, not 7"],
      [{ value: ['a', 7] }, "'value' must be a string or an array of strings"],
      [{ name: null }, "'name' must be a string, not null"],
      [{ colour: 'red' }, "unknown field 'colour'"],
      [{ record_type: 'A' }, "unknown field 'record_type': use 'type'"],
      [{ constructor: 1 }, "unknown field 'constructor'"],
      [{ type: undefined }, "'type' is required"],
    ] as const) {
      const response = await send(app, 'POST', '/records', { ...record, ...change });
      await expectProblem(response, 400, 'INVALID_JSON_BODY', says);
    }
    const proto = await send(app, 'POST', '/records', '{"__proto__":{},"name":"www"}');
    expect(proto.status).toBe(400);
  });

  it('name the place inside a bulk', async () => {
    const { zone_name, ...input } = record;
    const records = [input, { ...input, record_type: 'A' }];
    const response = await send(app, 'POST', '/records/bulk', { zone_name, records });
    const says = "unknown field 'records.1.record_type': use 'type'";
    await expectProblem(response, 400, 'INVALID_JSON_BODY', says);
  });

  it('take null as not given', async () => {
    const given = { ...record, ttl: null, priority: null, dry_run: null };
    expect((await send(app, 'POST', '/records', given)).status).toBe(201);
    const { command } = services.submitted.at(-1)!;
    expect(command).toEqual({
      kind: 'create-records',
      zoneName: 'example.com',
      records: [
        { name: 'www', type: 'A', value: '192.0.2.1', ttl: undefined, priority: undefined },
      ],
    });
  });

  it('hint at the current names of zones', async () => {
    for (const [old, hint] of [
      ['primary_ns', 'mname'],
      ['admin_email', 'rname'],
      ['ttl', 'default_ttl'],
    ] as const) {
      const body = { name: 'a.example', mname: 'ns.a.example', rname: 'h@a.example', [old]: 'x' };
      const response = await send(app, 'POST', '/zones', body);
      await expectProblem(
        response,
        400,
        'INVALID_JSON_BODY',
        `unknown field '${old}': use '${hint}'`,
      );
    }
  });
});

describe('sizes of bodies', () => {
  const services = fakeServices();
  const app = createApp(services);
  const mebibyte = 1024 * 1024;

  function bulkOf(bytes: number) {
    const records = [];
    const { zone_name, ...input } = record;
    const each = JSON.stringify({ ...input, name: 'host-000000' }).length + 1;
    for (let index = 0; index < bytes / each; index++) {
      records.push({ ...input, name: `host-${String(index).padStart(6, '0')}` });
    }
    return { zone_name, records };
  }

  it('are limited to 2 MiB, and 32 MiB for bulk', async () => {
    const padding = ' '.repeat(2 * mebibyte);
    const large = await send(app, 'POST', '/records', `${JSON.stringify(record)}${padding}`);
    await expectProblem(large, 413, 'PAYLOAD_TOO_LARGE', String(2 * mebibyte));
    const bulk = await send(app, 'POST', '/records/bulk', ' '.repeat(32 * mebibyte + 1));
    await expectProblem(bulk, 413, 'PAYLOAD_TOO_LARGE', String(32 * mebibyte));
  });

  it('are known from the header before anything is read', async () => {
    const request = new Request('http://localhost/records', {
      method: 'POST',
      headers: { ...jsonType, 'content-length': '99999999' },
    });
    await expectProblem(await app.fetch(request), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('are counted while a body without length arrives', async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 64 * 1024;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const init = { method: 'POST', headers: jsonType, body: endless, duplex: 'half' };
    const response = await app.fetch(new Request('http://localhost/records', init as RequestInit));
    await expectProblem(response, 413, 'PAYLOAD_TOO_LARGE');
    expect(sent).toBeLessThan(3 * mebibyte);
  });

  it('above 1 MiB are parsed by the worker, with the same results', async () => {
    const body = bulkOf(3 * mebibyte);
    const response = await send(app, 'POST', '/records/bulk', body);
    expect(response.status).toBe(201);
    const answer = await jsonOf(response);
    expect(answer.added).toBe(body.records.length);
    expect(answer.records).toHaveLength(body.records.length);
    expect(answer.records[5]).toMatchObject({ name: 'host-000005.example.com.', ttl: 3600 });
    expect(answer.diff.summary).toEqual({ added: body.records.length, changed: 0, removed: 0 });
    expect(answer.diff.entries).toHaveLength(body.records.length);
    const command = services.submitted.at(-1)!.command as unknown as { records: unknown[] };
    const { zone_name: _, ...input } = record;
    const plain = { ...input, ttl: undefined, priority: undefined };
    expect(command.records[17]).toEqual({ ...plain, name: 'host-000017' });
  });

  it('above 1 MiB are refused with the same words', async () => {
    const body = bulkOf(2 * mebibyte);
    body.records[9000]!.value = 7 as unknown as string;
    const response = await send(app, 'POST', '/records/bulk', body);
    await expectProblem(
      response,
      400,
      'INVALID_JSON_BODY',
      "'records.9000.value' must be a string",
    );
    const broken = `${JSON.stringify(bulkOf(2 * mebibyte))}}`;
    const second = await send(app, 'POST', '/records/bulk', broken);
    await expectProblem(second, 400, 'INVALID_JSON_BODY', 'is not JSON');
    const one = { ...record, type: 'TXT', value: 'x'.repeat(1.5 * mebibyte) };
    expect((await send(app, 'PUT', '/records/7', { value: one.value })).status).toBe(200);
  });

  it('above 1 MiB may come several at once', async () => {
    const sizes = [1.1, 1.5, 2.2].map((size) => bulkOf(size * mebibyte));
    const responses = await Promise.all(
      sizes.map((body) => send(app, 'POST', '/records/bulk', body)),
    );
    const added = await Promise.all(responses.map(async (one) => (await jsonOf(one)).added));
    expect(added).toEqual(sizes.map((body) => body.records.length));
  });
});
