/** Moments and zones compared in the console: pages, files of the difference, and the way back for what is ticked. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';
import { sendUpdate } from '../support/updaters.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium', 'nsupdate')('the compare screen of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const set = (zone: string, ...rrsets: readonly [string, string, string[], number?][]) =>
    local('POST', '/changes', {
      zones: [
        {
          name: zone,
          set: rrsets.map(([name, type, values, ttl = 300]) => ({ name, type, values, ttl })),
        },
      ],
    });
  const make = async (zone: string, ...rrsets: Parameters<typeof set>[1][]) => {
    await local('POST', '/zones', { name: zone, ...soa });
    await set(zone, ...rrsets);
    return serialOf(zone);
  };
  const serialOf = async (zone: string): Promise<number> =>
    (await local('GET', `/zones/${zone}`)).zone.serial;
  const recordsOf = async (zone: string): Promise<string[]> => {
    const { items } = await local('GET', `/records?zone_name=${zone}&limit=1000`);
    return (items as { name: string; type: string; value: unknown; ttl: number }[])
      .map(({ name, type, value, ttl }) => `${name.split('.')[0]} ${type} ${ttl} ${value}`)
      .sort();
  };
  /** What a press on a button makes the browser save. */
  async function saved({ page }: Person, role: 'button' | 'link', name: string) {
    const waiting = page.waitForEvent('download');
    await page.getByRole(role, { name, exact: true }).click();
    const download = await waiting;
    return {
      name: download.suggestedFilename(),
      text: await readFile(await download.path(), 'utf8'),
    };
  }

  it('takes ticked RRsets back, and leaves the others', async () => {
    const zone = 'ticked.example';
    const before = await make(
      zone,
      ['www', 'A', ['192.0.2.1', '192.0.2.2']],
      ['www', 'AAAA', ['2001:db8::1']],
      ['@', 'MX', ['10 mail.example.net.']],
      ['text', 'TXT', ['one "two" three']],
    );
    await set(
      zone,
      ['www', 'A', ['192.0.2.9'], 60],
      ['www', 'AAAA', ['2001:db8::9']],
      ['@', 'MX', ['20 mail.example.net.']],
      ['text', 'TXT', ['another']],
      ['new', 'A', ['192.0.2.8']],
    );
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/timeline`);
    const { page } = alice;
    // From the change that one goes back to.
    await page.getByRole('link', { name: 'Roll back some RRsets' }).nth(1).click();
    await page.getByText(/^From serial \d+ .*: 1 added, 4 changed, 0 removed\.$/).waitFor();
    expect(page.url()).toContain(`from=${before}`);
    expect(await page.getByRole('button', { name: /from A$/ }).count()).toBe(0);
    for (const what of ['www.ticked.example. A', 'ticked.example. MX', 'new.ticked.example. A']) {
      await page.getByRole('checkbox', { name: `Tick ${what}`, exact: true }).check();
    }
    await page.getByRole('checkbox', { name: 'Tick text.ticked.example. TXT' }).check();
    await press(alice, 'Take 4 ticked RRsets from A');
    const preview = page.getByRole('dialog', { name: `Take 4 RRsets of ${zone} from serial` });
    await preview.getByRole('row', { name: /removed new/ }).waitFor();
    await preview.getByRole('textbox', { name: 'Reason' }).fill('the new rack burns');
    await press(alice, 'Take 4 RRsets');
    await page.getByText(/: 0 added, 1 changed, 0 removed\.$/).waitFor();
    const records = await recordsOf(zone);
    expect(records.filter((line) => !line.includes(' NS '))).toEqual([
      'text TXT 300 one "two" three',
      'ticked MX 300 mail.example.net.',
      'www A 300 192.0.2.1',
      'www A 300 192.0.2.2',
      'www AAAA 300 2001:db8::9',
    ]);
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event.reason).toBe('the new rack burns');
    await press(alice, 'Make A the present');
    await press(alice, 'Roll back');
    await page.getByText('No records differ.').waitFor();
    expect(await recordsOf(zone)).toContain('www AAAA 300 2001:db8::1');
    expect(alice.complaints).toEqual([]);
  });

  it('compares with another zone, and takes RRsets from it', async () => {
    await make('model.example', ['www', 'A', ['192.0.2.1']], ['api', 'A', ['192.0.2.2']]);
    await make('copy.example', ['www', 'A', ['192.0.2.9']]);
    const alice = await browser.person();
    await alice.logIn(token, '/zones/copy.example/compare');
    const { page } = alice;
    await page.getByRole('textbox', { name: /^A: of which zone/ }).fill('model.example.');
    await press(alice, 'Compare');
    await page.getByText(/of model\.example to now .*: 0 added, 1 changed, 1 removed\.$/).waitFor();
    expect(await page.getByRole('button', { name: 'Make A the present' }).count()).toBe(0);
    await press(alice, 'Tick these 2 RRsets');
    await press(alice, 'Take 2 ticked RRsets from A');
    const preview = page.getByRole('dialog', {
      name: /^Take 2 RRsets of copy\.example from model/,
    });
    await preview.getByRole('row', { name: /added api\.copy\.example/ }).waitFor();
    await press(alice, 'Take 2 RRsets');
    await page.getByText('No records differ.').waitFor();
    expect((await recordsOf('copy.example')).slice(-1)).toEqual(['www A 300 192.0.2.1']);
    expect(alice.complaints).toEqual([]);
  });

  it('saves the difference in each form; the script makes A what B is', async () => {
    const zone = 'saved.example';
    const before = await make(
      zone,
      ['www', 'A', ['192.0.2.1', '192.0.2.2']],
      ['alias', 'CNAME', ['www']],
      ['text', 'TXT', ['plain']],
      ['@', 'NS', ['ns1.example.com.']],
    );
    await local('POST', '/changes', {
      zones: [
        {
          name: zone,
          delete: [{ name: 'alias' }],
          set: [
            { name: 'www', type: 'A', ttl: 60, values: ['192.0.2.2', '192.0.2.3'] },
            { name: 'alias', type: 'A', ttl: 60, values: ['192.0.2.4'] },
            { name: 'text', type: 'TXT', ttl: 300, values: [['a "quoted"', 'ü; \\']] },
            { name: '@', type: 'NS', ttl: 300, values: ['ns9.example.com.'] },
          ],
        },
      ],
    });
    const after = await serialOf(zone);
    const wanted = await recordsOf(zone);
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/compare?from=${before}`);
    const { page } = alice;
    await page.getByText('Save as a file').click();
    const unified = await saved(alice, 'button', 'Unified text');
    expect(unified.name).toBe(`${zone}-${before}-${after}.diff`);
    expect(unified.text).toContain(`-alias.${zone}. 300 IN CNAME`);
    expect(unified.text).toContain(`+alias.${zone}. 60 IN A 192.0.2.4\n`);
    await page.getByText('Saved: 5 RRsets.').waitFor();
    const json = JSON.parse((await saved(alice, 'button', 'JSON')).text);
    expect(json).toMatchObject({ to: { zone, serial: after }, truncated: false });
    expect(json.entries).toHaveLength(5);
    const then = await saved(alice, 'link', 'Zone file of A');
    expect(then.name).toBe(`${zone}-${before}.zone`);
    expect(then.text).toMatch(/alias\S*\s+300\s+IN\s+CNAME/);
    expect((await saved(alice, 'link', 'Zone file of B')).text).not.toContain('CNAME');
    const script = await saved(alice, 'button', 'nsupdate script');
    await local('POST', `/zones/${zone}/versions/${before}/rollback`, {});
    await local('POST', '/roles', { name: 'updates' });
    const actions = ['zone:update', 'record:read', 'record:create', 'record:delete'];
    await local('POST', '/roles/updates/grants', { zone_name: zone, actions });
    const name = 'updater';
    const made = await local('POST', '/tsig-keys', { name, role_name: 'updates' });
    const key = { name, algorithm: 'hmac-sha256', secret: made.secret };
    const commands = script.text.split('\n').filter((line) => /^update/.test(line));
    expect(await sendUpdate('nsupdate', { port: service.dnsPort, zone, key }, ...commands)).toBe(
      'NOERROR',
    );
    expect(await recordsOf(zone)).toEqual(wanted);
    expect(alice.complaints).toEqual([]);
  });

  it('shows a large difference page by page, and saves all of it', async () => {
    const zone = 'large.example';
    const before = await make(zone, ['www', 'A', ['192.0.2.1']]);
    const records = Array.from({ length: 2500 }, (_, index) => {
      return { name: `h${index}`, type: 'A', value: '192.0.2.1', ttl: 300 };
    });
    await local('POST', `/zones/${zone}/records/bulk`, { records });
    const alice = await browser.person();
    const { page } = alice;
    let longest = 0;
    page.on('response', async (response) => {
      if (!response.url().includes('/versions/diff')) return;
      longest = Math.max(longest, (await response.body().catch(() => '')).length);
    });
    await alice.logIn(token, `/zones/${zone}/compare?from=${before}`);
    await page.getByText(/: 2500 added, 0 changed, 0 removed\.$/).waitFor();
    const rows = page.getByRole('row', { name: /added h/ });
    await expect.poll(() => rows.count()).toBe(200);
    await press(alice, 'More RRsets');
    await expect.poll(() => rows.count()).toBe(400);
    await page.getByText('Save as a file').click();
    const { text } = await saved(alice, 'button', 'Unified text');
    expect(text.split('\n')).toHaveLength(2503);
    expect(longest).toBeLessThan(400_000);
    expect(alice.complaints).toEqual([]);
  });

  it('offers nothing that writes to who may not, or at an earlier moment', async () => {
    const zone = 'looked-at.example';
    const before = await make(zone, ['www', 'A', ['192.0.2.1']]);
    await set(zone, ['www', 'A', ['192.0.2.2']]);
    const grants = [{ zone_name: zone, actions: ['zone:read', 'record:read'] }];
    const visitors = [
      [await tokenOf(service, 'looker', grants), `from=${before}`],
      [token, `at=${new Date().toISOString()}&from=${before}`],
    ] as const;
    for (const [as, query] of visitors) {
      const person = await browser.person();
      await person.logIn(as, `/zones/${zone}/compare?${query}`);
      await person.page.getByRole('row', { name: /removed www/ }).waitFor();
      expect(await person.page.getByRole('checkbox').count()).toBe(0);
      expect(await person.page.getByRole('button', { name: 'Make A the present' }).count()).toBe(0);
    }
  });

  it('marks what is other in a value, and groups RRsets that have another TTL alone', async () => {
    const zone = 'marked.example';
    const before = await make(
      zone,
      ['www', 'A', ['192.0.2.1']],
      ['a', 'A', ['192.0.2.2', '192.0.2.3']],
      ['b', 'AAAA', ['2001:db8::1']],
      ['key', 'TXT', [`v=DKIM1; p=${'a'.repeat(200)}b${'c'.repeat(200)}`]],
    );
    await set(
      zone,
      ['www', 'A', ['192.0.2.22']],
      ['a', 'A', ['192.0.2.2', '192.0.2.3'], 60],
      ['b', 'AAAA', ['2001:db8::1'], 60],
      ['key', 'TXT', [`v=DKIM1; p=${'a'.repeat(200)}X${'c'.repeat(200)}`]],
    );
    await local('PUT', `/zones/${zone}`, { refresh: 1234 });
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/compare?from=${before}`);
    const { page } = alice;
    const row = (name: RegExp) => page.getByRole('row', { name });
    const marks = (name: RegExp) => row(name).locator('summary mark, td > code mark');
    await row(/removed www/).waitFor();
    expect(await marks(/removed www/).allTextContents()).toEqual(['1']);
    expect(await marks(/added www/).allTextContents()).toEqual(['22']);
    // Also in a value that is cut.
    expect(await marks(/removed key/).allTextContents()).toEqual(['b']);
    expect(await marks(/added key/).allTextContents()).toEqual(['X']);
    await page.getByText('Only another TTL: 2 RRsets').waitFor();
    await row(/changed a\.marked.* 300 → 60 192\.0\.2\.2, 192\.0\.2\.3/).waitFor();
    expect(await row(/removed a\./).count()).toBe(0);
    // Settings stand before records.
    const settings = page.getByRole('table', { name: 'Settings that change' });
    await settings.getByRole('row', { name: /added Refresh 1234/ }).waitFor();
    expect(
      await page
        .getByRole('table')
        .first()
        .getByRole('row', { name: /Refresh/ })
        .count(),
    ).toBe(2);
    // One that has another TTL alone is taken back as others are.
    await page.getByRole('checkbox', { name: 'Tick a.marked.example. A' }).check();
    await press(alice, 'Take 1 ticked RRset from A');
    const preview = page.getByRole('dialog');
    await preview.getByRole('row', { name: /changed a\..* 60 → 300/ }).waitFor();
    await press(alice, 'Cancel');
    expect(alice.complaints).toEqual([]);
  });

  it('compares one owner or one type alone, also in its files', async () => {
    const zone = 'narrowed.example';
    const before = await make(zone, ['www', 'A', ['192.0.2.1']], ['api', 'A', ['192.0.2.2']]);
    await set(
      zone,
      ['www', 'A', ['192.0.2.9']],
      ['www', 'AAAA', ['2001:db8::9']],
      ['api', 'A', ['192.0.2.8']],
    );
    await make('wider.example', ['www', 'A', ['192.0.2.1']], ['api', 'A', ['192.0.2.2']]);
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/compare?from=${before}`);
    const { page } = alice;
    await page.getByText(/: 1 added, 2 changed, 0 removed\.$/).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('www');
    await page.getByText(/: 1 added, 1 changed, 0 removed\.$/).waitFor();
    await page.getByLabel('Type', { exact: true }).fill('aaaa');
    await page.getByText(/: 1 added, 0 changed, 0 removed\.$/).waitFor();
    await page.getByText('Save as a file').click();
    const { text } = await saved(alice, 'button', 'Unified text');
    expect(text.split('\n').slice(2)).toEqual([`+www.${zone}. 300 IN AAAA 2001:db8::9`, '']);
    await page.goto(`${page.url().split('?')[0]}?with=wider.example&name=api`);
    await page.getByText(/: 0 added, 1 changed, 0 removed\.$/).waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('compares what one of them changed alone, also in its files', async () => {
    const zone = 'shared.example';
    const before = await make(zone, ['www', 'A', ['192.0.2.1']], ['api', 'A', ['192.0.2.2']]);
    await set(zone, ['www', 'A', ['192.0.2.9']]);
    const robot = await tokenOf(service, 'robot');
    const rrset = { name: 'www', type: 'TXT', ttl: 300, values: [['deployed']] };
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}/changes`, {
      method: 'POST',
      headers: { authorization: `Bearer ${robot}`, 'content-type': 'application/json' },
      body: JSON.stringify({ zones: [{ name: zone, set: [rrset] }] }),
    });
    expect(answer.status).toBe(200);
    await set(zone, ['api', 'A', ['192.0.2.8']]);
    const alice = await browser.person();
    await alice.logIn(token, `/zones/${zone}/compare?from=${before}`);
    const { page } = alice;
    await page.getByText(/: 1 added, 2 changed, 0 removed\.$/).waitFor();
    await page.getByLabel('Changed by', { exact: true }).fill('robot');
    await page.getByText(/: 1 added, 0 changed, 0 removed\.$/).waitFor();
    await page.getByText('Save as a file').click();
    const { text } = await saved(alice, 'button', 'Unified text');
    expect(text.split('\n').slice(2)).toEqual([`+www.${zone}. 300 IN TXT "deployed"`, '']);
    // Of two zones nobody changed one into the other.
    await make('apart.example');
    await page.goto(`${page.url().split('?')[0]}?with=apart.example&actor=robot`);
    await page.getByText(/: 3 added, 0 changed, 0 removed\.$/).waitFor();
    expect(await page.getByLabel('Changed by', { exact: true }).count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });
});
