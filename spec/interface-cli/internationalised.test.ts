/**
 * Names beyond ASCII on the command line: typed as people write them, sent and shown as A-labels
 * (UTS 46), found by dig, which makes the A-labels by a library of its own (libidn2).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, type Group, verbOf } from '../../src/cli/command.ts';
import { commands, groups } from '../../src/cli/commands/index.ts';
import { run } from '../support/command-line.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { story } from '../support/story.ts';

let service: RunningService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'zonebook-idn-'));
  const names = ['--mname', 'ns1.größe.example', '--rname', 'post@Bücher.example'];
  await must('zone', 'create', 'bücher.example', ...names);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });

async function must(...words: string[]) {
  const { code, out, err } = await cli(...words, '-o', 'json');
  // What is only warned of is no failure.
  const said = err.replace(/^warning: .*\n/gm, '');
  expect([words, code, said]).toEqual([words, 0, '']);
  return JSON.parse(out);
}

describe('a zone', () => {
  it('is created, shown, changed and listed by its name as people write it', async () => {
    const zone = {
      name: 'xn--bcher-kva.example',
      mname: 'ns1.xn--gre-6ka8i.example',
      rname: 'post@xn--bcher-kva.example',
    };
    expect((await must('zone', 'get', 'BÜCHER.example.')).zone).toMatchObject(zone);
    expect((await must('zone', 'list', '--name', 'bücher.example')).items).toMatchObject([zone]);
    expect((await must('zone', 'list', '--mname', zone.mname)).items).toHaveLength(1);
    const renamed = await must('zone', 'update', 'bücher.example', '--name', 'faß.example');
    expect(renamed.zone.name).toBe('xn--fa-hia.example');
    await must('zone', 'update', 'faß.example', '--name', 'bücher.example');
    await must('zone', 'status', 'bücher.example');
    await must('zone', 'version', 'list', 'bücher.example');
    const exported = await cli('zone', 'export', 'bücher.example');
    expect(exported.out).toContain('$ORIGIN xn--bcher-kva.example.\n');
    await must('journal', 'log', 'bücher.example');
  });

  it('is refused by the service when it is no name', async () => {
    const { code, err } = await cli('zone', 'update', 'bücher.example', '--name', '_ü.example');
    expect([code, err]).toEqual([1, expect.stringContaining('has characters beyond ASCII')]);
  });
});

story('records', () => {
  const create = (...words: string[]) => must('record', 'create', 'bücher.example', ...words);

  it('have owners and targets that are written so, and texts that stay as they are', async () => {
    expect((await create('größe', 'A', '192.0.2.1')).record.name).toBe(
      'xn--gre-6ka8i.xn--bcher-kva.example.',
    );
    const values = [
      await create('a', 'CNAME', 'größe.bücher.example.'),
      await create('@', 'MX', 'größe.bücher.example', '--priority', '5'),
      await create('_x._tcp', 'SRV', '1', '443', 'größe.bücher.example'),
      await create('@', 'NS', 'ns2.größe.example'),
      await create('t', 'TXT', 'größe.bücher.example'),
    ].map(({ record }) => record.value);
    const host = 'xn--gre-6ka8i.xn--bcher-kva.example.';
    expect(values).toEqual([
      host,
      host,
      `1 443 ${host}`,
      'ns2.xn--gre-6ka8i.example.',
      'größe.bücher.example',
    ]);
  });

  it('are listed, changed and deleted by such names', async () => {
    const { items } = await must('record', 'list', 'bücher.example', '--name', 'größe');
    expect(items).toHaveLength(1);
    const id = String(items[0].id);
    expect((await must('record', 'update', id, '--name', 'weiß')).record.name).toMatch(/^xn--wei-/);
    await must('record', 'update', id, '--name', 'größe');
    const target = ['--type', 'CNAME', '--value', 'weiß.example'];
    const dry = await must('record', 'update', id, ...target, '--dry-run');
    expect(dry.record.value).toBe('xn--wei-7ka.example.');
    const gone = ['bücher.example', '_x._tcp', 'SRV', '1', '443', 'größe.bücher.example'];
    expect((await must('record', 'delete', ...gone)).deleted).toBe(1);
    const path = join(folder, 'records.json');
    writeFileSync(path, '[{"name":"bulk","type":"A","value":"192.0.2.9"}]');
    expect((await must('record', 'bulk', 'bücher.example', path)).added).toBe(1);
  });

  it('of a file are not converted: the line names what to write', async () => {
    const path = join(folder, 'file.zone');
    writeFileSync(path, 'bücher 60 IN A 192.0.2.1\n');
    const { code, out } = await cli('zone', 'import', 'bücher.example', path, '-o', 'table');
    expect([code, out.trim().split('\n')[1]]).toEqual([
      1,
      "line 1: owner 'bücher' has characters beyond ASCII; write it as 'xn--bcher-kva'",
    ]);
  });
});

it('a secondary and a grant', async () => {
  const added = await must('secondary', 'create', 's', '--address', 'ns.bücher.example:5353');
  expect(added.secondary.address).toBe('ns.xn--bcher-kva.example:5353');
  await must('role', 'create', 'r');
  const grant = ['--zone', 'bücher.example', '--name-pattern', '*.größe'];
  const given = await must('role', 'grant', 'r', '--actions', 'record:read', ...grant);
  expect(given.role_grant).toMatchObject({
    zone_name: 'xn--bcher-kva.example',
    record_name_pattern: '*.xn--gre-6ka8i',
  });
});

needsPeers('dig')('dig', () => {
  const ask = (name: string, type: string) => {
    const server = ['@127.0.0.1', '-p', String(service.dnsPort)];
    const options = ['+idnin', '+noidnout', '+short', '+tries=2', '+time=30'];
    // A locale of UTF-8 is what makes dig read names so.
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const output = execFileSync(peer('dig')!, [...server, ...options, name, type], {
      encoding: 'utf8',
      env,
    });
    return output.trim();
  };

  it('finds what was typed, for labels of many scripts', async () => {
    const typed = ['straße', 'βόλος', 'ÉCOLE', 'москва', '日本語', 'ﺃﻫﻼ', 'x.ｆｕｌｌ', 'e\u0301t'];
    for (const name of typed) {
      await must('record', 'create', 'bücher.example', name, 'TXT', name);
      expect([name, ask(`${name}.bücher.example`, 'TXT')]).toEqual([
        name,
        expect.stringMatching(/^".+"$/),
      ]);
    }
  });
});

describe('every command', () => {
  function everyOf(group: Group, path: string): [string, Command][] {
    const here = `${path}${group.name} `;
    return [
      ...group.commands.map((command): [string, Command] => [`${here}${verbOf(command)}`, command]),
      ...(group.groups ?? []).flatMap((part) => everyOf(part, here)),
    ];
  }

  it('sends zones, owners, hosts and mailboxes as A-labels', () => {
    const isName =
      /^(?:(?:id of the record, or )?name of (?:the|a) (?:deleted )?zone|zone;|owner,|host|name servers of|servers of|primary name server|e-mail address)|exact (?:name|owner|primary)|another (?:name:|owner)|only (?:transfers of this zone|changes at this owner)|\bone relative name/;
    const all: [string, Command][] = [
      ...commands.map((command): [string, Command] => [verbOf(command), command]),
      ...groups.flatMap((group) => everyOf(group, '')),
    ];
    let seen = 0;
    for (const [name, { positionals = {}, options = {} }] of all) {
      for (const [key, field] of Object.entries({ ...positionals, ...options })) {
        if (!isName.test(String(field.settings.describe))) continue;
        seen++;
        const raw = field.settings.array === true ? ['bücher'] : 'bücher';
        expect([name, key, field.read(raw, key)]).toEqual([
          name,
          key,
          field.settings.array === true ? ['xn--bcher-kva'] : 'xn--bcher-kva',
        ]);
      }
    }
    expect(seen).toBeGreaterThan(40);
  });
});
