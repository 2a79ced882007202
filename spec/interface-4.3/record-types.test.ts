/**
 * Types that are rare, on every way through the interface: values in presentation form, segments, and
 * RDATA that were stored in generic form before their type had another and do not fit it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { laterTypes } from '../../src/dns/rdata/formats.ts';
import { InProcessService } from '../support/in-process.ts';
import { story } from '../support/story.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

async function records(zone: string, query = ''): Promise<Record<string, unknown>[]> {
  const list = await service.call('GET', `/records?zone_name=${zone}${query}`);
  return list.items;
}

async function importText(zone: string, body: object): Promise<Record<string, unknown>> {
  return service.call('POST', `/zones/${zone}/import`, body);
}

async function exported(zone: string, query = ''): Promise<string> {
  return (await service.fetch('GET', `/zones/${zone}/export${query}`)).text();
}

it('takes and shows presentation forms, and TYPEnn as the same type', async () => {
  await service.createZone('forms.example');
  const created = async (type: string, value: string | string[]) => {
    const body = { zone_name: 'forms.example', name: 'x', type, value };
    const { record } = await service.call('POST', '/records', body, 201);
    return [record.type, record.value];
  };
  const hip = '2 200100107B1A74DF365639CC39F1D578 AwEAAQ==';
  expect(await created('HIP', `${hip} RVS.example`)).toEqual(['HIP', `${hip} rvs.example.`]);
  expect(await created('TYPE260', '10 0 3 relay.example')).toEqual([
    'AMTRELAY',
    '10 0 3 relay.example.',
  ]);
  expect(await created('DSYNC', '\\# 6 003B01000000')).toEqual(['DSYNC', 'CDS NOTIFY 0 .']);
  expect(await created('SPF', 'v=spf1 -all')).toEqual(['SPF', 'v=spf1 -all']);
  expect(await created('TYPE99', '\\# 4 03616263')).toEqual(['SPF', 'abc']);
  expect(await created('RESINFO', ['qnamemin', 'exterr=15'])).toEqual([
    'RESINFO',
    ['qnamemin', 'exterr=15'],
  ]);
  expect(await created('WALLET', '"\\# 1 00" "x"')).toEqual(['WALLET', ['# 1 00', 'x']]);
  for (const [type, reason] of [
    ['TYPE10', 'Knot writes it'],
    ['MD', 'BIND reads no file'],
  ] as const) {
    const body = { zone_name: 'forms.example', name: 'y', type, value: '\\# 3 016100' };
    await service.refused('POST', '/records', body, 'INVALID_RECORD_VALUE', reason);
  }
});

story('RDATA that do not fit their type', () => {
  const zone = 'unfit.example';
  const content = [
    'a 60 IN TYPE55 \\# 3 010203',
    'b 60 IN TYPE99 \\# 2 FF00',
    'c 60 IN TYPE260 \\# 0',
    'd 60 IN TYPE21 \\# 1 00',
    '',
  ].join('\n');
  const shown = [
    ['a', 'HIP', '\\# 3 010203'],
    ['b', 'SPF', '\\# 2 FF00'],
    ['c', 'AMTRELAY', '\\# 0'],
    ['d', 'RT', '\\# 1 00'],
  ];
  const rowsOf = (list: readonly Record<string, unknown>[]) =>
    list
      .filter(({ type }) => type !== 'NS')
      .map((one) => [String(one.name).split('.')[0], one.type, one.value]);
  beforeAll(async () => {
    await service.createZone(zone);
    // As they came in before their types had a form here.
    const later = laterTypes as Set<number>;
    const types = [...later];
    later.clear();
    const { summary } = await importText(zone, { content });
    for (const type of types) later.add(type);
    expect(summary).toMatchObject({ added: 4 });
  });

  it('are shown in generic form wherever records are', async () => {
    const list = await records(zone);
    expect(rowsOf(list).sort()).toEqual(shown);
    const one = list.find(({ type }) => type === 'HIP')!;
    const { record } = await service.call('GET', `/records/${one.id}`);
    expect(record.value).toBe('\\# 3 010203');
    expect(await records(zone, '&value=010203')).toHaveLength(1);
    const { serial } = (await service.call('GET', `/zones/${zone}`)).zone;
    const version = await service.call('GET', `/zones/${zone}/versions/${serial}`);
    expect(rowsOf(version.records).sort()).toEqual(shown);
    const diff = await service.fetch(
      'GET',
      `/zones/${zone}/versions/diff?from=${serial - 1}&to=${serial}`,
    );
    expect([diff.status, await diff.text()]).toEqual([200, expect.stringContaining('# 3 010203')]);
    const history = await service.fetch('GET', `/records/${one.id}/history`);
    expect([history.status, await history.text()]).toEqual([
      200,
      expect.stringContaining('# 3 010203'),
    ]);
  });

  it('are exported as TYPEnn, and taken back byte by byte where they are', async () => {
    const text = await exported(zone);
    for (const line of content.trimEnd().split('\n')) {
      expect(text).toContain(
        `${line.replaceAll(' ', '\t').replace(/(\\#.*)/, (data) => data.replaceAll('\t', ' '))}\n`,
      );
    }
    const again = await importText(zone, { content: text, mode: 'replace' });
    expect(again.summary).toMatchObject({ added: 0, deleted: 0, updated: 0 });
    const copy = text.replaceAll(zone, 'copy.example');
    const body = { content: copy, create: true, mode: 'replace' };
    const refusal = await service.fetch('POST', '/zones/copy.example/import', body);
    expect(refusal.status).toBe(422);
    const report = (await refusal.json()) as { errors: string[] };
    expect(report.errors).toHaveLength(4);
    expect(report.errors[0]).toMatch(/line \d+: .*do not fit the form of/);
  });

  it('stay when a change leaves the value, but nothing becomes so', async () => {
    const [one] = await records(zone, '&type=HIP');
    const put = async (body: object) =>
      (await service.call('PUT', `/records/${one!.id}`, body)).record;
    expect(await put({ value: '\\# 3 010203', ttl: 90 })).toMatchObject({ ttl: 90 });
    expect(await put({ ttl: 120 })).toMatchObject({ ttl: 120, value: '\\# 3 010203' });
    const refused = (method: string, path: string, body: object) =>
      service.refused(method, path, body, 'INVALID_RECORD_VALUE', 'HIP');
    await refused('PUT', `/records/${one!.id}`, { value: '\\# 3 010204' });
    const input = { zone_name: zone, name: 'e', type: 'TYPE55', value: '\\# 3 010203' };
    await refused('POST', '/records', input);
    const line = await service.fetch('POST', `/zones/${zone}/import`, {
      content: 'e 60 IN HIP \\# 3 010203\n',
    });
    expect([line.status, await line.text()]).toEqual([422, expect.stringContaining('line 1')]);
  });

  it('are found by their value when they are deleted', async () => {
    const value = encodeURIComponent('\\# 3 010203');
    const gone = await service.call(
      'DELETE',
      `/records?zone_name=${zone}&name=a&type=HIP&value=${value}`,
    );
    expect(gone.deleted).toBe(1);
    expect(await records(zone, '&type=HIP')).toEqual([]);
  });
});

it('skips in a file only what no type can hold', async () => {
  await service.createZone('skips.example');
  const content = [
    'www 60 IN ALIAS target.example.',
    'www 60 IN LUA A "ifportup(443)"',
    'www 60 IN ANAME target.example.',
    'www 60 IN X25 "311061700956"',
    'www 60 IN TYPE65280 \\# 1 00',
    '',
  ].join('\n');
  const refused = await service.fetch('POST', '/zones/skips.example/import', { content });
  expect(refused.status).toBe(422);
  const text = await refused.text();
  for (const mnemonic of ['ALIAS', 'LUA', 'ANAME']) {
    expect(text).toContain(`type ${mnemonic} is not stored`);
  }
  const answer = await importText('skips.example', { content, skip_unsupported: true });
  expect(answer.summary).toMatchObject({ added: 2, skipped: 3 });
  expect(answer.skipped_records).toEqual(
    ['ALIAS', 'LUA', 'ANAME'].map((word, index) =>
      expect.stringMatching(new RegExp(`^line ${index + 1}: www\\.skips\\.example\\. ${word} `)),
    ),
  );
});
