/** The DNSSEC commands as an operator types them, against a running service. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ran, run } from '../support/command-line.ts';
import { freePort } from '../support/ports.ts';
import { type RunningService, startService } from '../support/service.ts';
import { story } from '../support/story.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
  await json('zone create example.com --mname ns1.example.net --rname hostmaster@example.com');
});
afterAll(() => service[Symbol.asyncDispose]());

const zonebook = (line: string): Promise<Ran> => run(line.split(' '), { dataDir: service.dataDir });

async function json(line: string) {
  const { code, out, err } = await zonebook(`${line} -o json`);
  expect([line, code, err]).toEqual([line, 0, '']);
  return JSON.parse(out);
}

async function table(line: string): Promise<string> {
  const { code, out, err } = await zonebook(`${line} -o table`);
  expect([line, code, err]).toEqual([line, 0, '']);
  return out;
}

async function fails(line: string, code: number, says: string): Promise<void> {
  const ran = await zonebook(line);
  expect([line, ran.code, ran.out]).toEqual([line, code, '']);
  expect(ran.err).toContain(says);
}

story('policies and signing', () => {
  it('makes, shows, changes and deletes policies', async () => {
    const made = await json('dnssec-policy create split --split-keys --zsk-lifetime-days 90');
    expect(made.dnssec_policy).toMatchObject({ name: 'split', split_keys: true });
    expect(await table('dnssec-policy create ed --algorithm ed25519 --denial nsec')).toMatch(
      /^created DNSSEC policy ed\n.*\ned +ed25519 +nsec +csk +14 d +5 d +for ever/,
    );
    const changed = await json('dnssec-policy update ed --validity-days 20 --refresh-days 6');
    expect(changed.dnssec_policy).toMatchObject({
      signature_validity_days: 20,
      signature_refresh_days: 6,
    });
    expect(await json('dnssec-policy get ed')).toEqual(changed);
    const { items } = await json('dnssec-policy ls');
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['default', 'ed', 'split']);
    expect(await table('dnssec-policy rm ed')).toBe("DNSSEC policy 'ed' deleted\n");
  });

  it('tells what is wrong with an exit code', async () => {
    await fails('dnssec-policy delete default', 1, 'built in');
    await fails('dnssec-policy get none', 3, 'dnssec-policy list');
    await fails('dnssec-policy create split', 4, 'DNSSEC_POLICY_CONFLICT');
    await fails('dnssec-policy create x --algorithm md5', 2, '--algorithm');
    await fails('dnssec-policy create x --refresh-days 14', 1, 'signature_refresh_days');
  });

  it('signs a zone and shows how it is signed', async () => {
    expect(await table('dnssec status example.com')).toBe('zone example.com is not signed\n');
    await fails('dnssec sign example.com', 4, 'DNSSEC_NOT_ENABLED');
    await fails('dnssec enable example.com', 2, '--parent-ns');
    // A port that nobody listens on: parents can not be asked.
    const parent = `127.0.0.1:${await freePort()}`;
    const text = await table(`dnssec enable example.com --parent-ns ${parent} --policy split`);
    expect(text).toMatch(/policy +split: ecdsap256sha256, nsec3, KSK and ZSK\n/);
    expect(text).toMatch(/\nDS for the parent:\nexample\.com\. IN DS \d+ 13 2 [0-9A-F]{64}\n/);
    expect(text).toMatch(/\npublish CDS +\d+ /);
    const status = await json('dnssec status example.com');
    expect(status).toMatchObject({ enabled: true, parent_ns_addrs: [parent] });
    await fails(`dnssec enable example.com --parent-ns ${parent}`, 4, 'DNSSEC_ALREADY_ENABLED');
    await fails('dnssec check-ds example.com', 4, parent);
    await fails('dnssec status example.org', 3, 'zone list');
  });

  it('is told in the journal, step by step and with what takes none', async () => {
    await zonebook('dnssec set example.com --parent-ns 127.0.0.1:53000');
    const log = await table('journal log example.com');
    expect(log).toMatch(/example\.com +2 +zone\.signed enabled\n/);
    expect(log).toMatch(/example\.com +- +zone\.signing-noted parents-set\n/);
  });

  it('rolls a key, and promotes it where told not to wait', async () => {
    await fails('dnssec roll example.com', 1, 'say which one');
    await fails('dnssec roll example.com --role key', 2, '--role');
    await fails('dnssec abort example.com', 4, 'DNSSEC_NO_ROLLOVER_IN_PROGRESS');
    await json('dnssec roll example.com --role zsk');
    const aborted = await json('dnssec abort example.com --role zsk');
    expect(aborted.keys).toHaveLength(2);
    expect(await table('journal log example.com')).toContain('zone.signed keys-aborted');
    const { keys } = await json('dnssec roll example.com --role ksk');
    expect(keys.at(-1)).toMatchObject({ role: 'ksk', state: 'published' });
    await fails('dnssec promote example.com', 1, 'may be promoted from');
    await fails('dnssec promote example.com --skip-holddown', 4, 'DNSSEC_DS_UNVERIFIED');
    const promoted = await json('dnssec promote example.com --skip-holddown --skip-ds-check');
    expect(promoted.keys).toMatchObject([
      { role: 'ksk', state: 'retired' },
      { role: 'zsk', state: 'active' },
      { role: 'ksk', state: 'active' },
    ]);
  });

  it('sets parents and policy', async () => {
    await fails('dnssec set example.com', 1, 'nothing to change');
    await fails('dnssec set example.com --policy default', 1, 'key layout');
    const list = '192.0.2.1,192.0.2.2';
    const status = await json(`dnssec set example.com --parent-ns ${list} --parent-ns ns.example`);
    expect(status.parent_ns_addrs).toEqual(['192.0.2.1:53', '192.0.2.2:53', 'ns.example:53']);
  });

  it('signs anew, withdraws the DS and takes that back', async () => {
    expect(await table('dnssec sign example.com')).toContain("'example.com' is signed anew");
    expect(await table('dnssec withdraw start example.com')).toContain('asks the parent');
    await fails('dnssec withdraw start example.com', 1, 'already');
    expect((await json('dnssec withdraw cancel example.com')).withdrawing).toBe(false);
  });

  it('shows derived records without ids where they are asked for', async () => {
    const { items } = await json('record list example.com --signed --type DNSKEY');
    expect(items).toHaveLength(3);
    expect(items[0]).not.toHaveProperty('id');
    expect(await table('zone export example.com --signed')).toContain('\tRRSIG\t');
    const all = await json('zone version list example.com --include-signer-serials');
    const told = await json('zone version list example.com');
    expect(all.items.length).toBeGreaterThan(told.items.length);
  });

  it('stops signing', async () => {
    expect(await table('dnssec disable example.com --skip-ds-check --yes')).toContain(
      "zone 'example.com' is not signed any more",
    );
    expect(await table('dnssec status example.com')).toMatch(/^zone example\.com is not signed;/);
  });
});

it('asks the parents of a zone that was deleted', async () => {
  await json('zone create gone.example --mname ns1.example.net --rname hostmaster@example.com');
  await json(`dnssec enable gone.example --parent-ns 127.0.0.1:${await freePort()}`);
  const silent = /^DS at the parent: not known\n127\.0\.0\.1:\d+ +can not be reached/;
  expect(await table('dnssec delegation gone.example')).toMatch(silent);
  await json('zone delete gone.example --yes');
  const [{ id }] = (await json('zone list --deleted --search gone')).items;
  expect(await table(`dnssec delegation gone.example --deleted-id ${id}`)).toMatch(silent);
  await json('zone create plain.example --mname ns1.example.net --rname hostmaster@example.com');
  expect(await table('dnssec delegation plain.example')).toBe('no server of the parent is known\n');
});
