/** A zone file beside a zone in the console: pasted, chosen or dropped, compared, and imported or not. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('a zone compared with a file', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  const add = (zone_name: string, name: string, value: string) =>
    local('POST', '/records', { zone_name, name, type: 'A', value, ttl: 300 });
  const section = ({ page }: Person) => page.getByRole('region', { name: 'Compare with a file' });
  const textOf = (person: Person) =>
    section(person).getByRole('textbox', { name: 'Text of the file' });
  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const owners = async (zone: string) =>
    (await local('GET', `/records?zone_name=${zone}&type=A`)).items
      .map(({ name, value }: { name: string; value: string }) => `${name.split('.')[0]} ${value}`)
      .sort();
  const row = (person: Person, name: RegExp) => section(person).getByRole('row', { name });

  async function at(zone: string, as = token): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    await add(zone, 'www', '192.0.2.1');
    await add(zone, 'old', '192.0.2.2');
    const person = await browser.person();
    await person.logIn(as, `/zones/${zone}/compare`);
    await textOf(person).waitFor();
    return person;
  }

  const file = (zone: string) =>
    [
      `$ORIGIN ${zone}.`,
      '@ 3600 IN NS ns1.example.com.',
      'www 300 IN A 192.0.2.9',
      'new 300 IN A 192.0.2.3',
      '',
    ].join('\n');

  it('shows what the zone would have to change, and imports it as one previewed change', async () => {
    const zone = 'pasted.example';
    const alice = await at(zone);
    const { page } = alice;
    const before = await owners(zone);
    await textOf(alice).fill(file(zone));
    await textOf(alice).press('Control+Enter');
    await section(alice)
      .getByText(/^To be as the file, .*: 1 RRset added, 1 changed, 1 removed\.$/)
      .waitFor();
    await row(alice, /removed www.*192\.0\.2\.1$/).waitFor();
    await row(alice, /added new/).waitFor();
    await row(alice, /removed old/).waitFor();
    expect(await owners(zone)).toEqual(before);
    await press(alice, 'Import…');
    const dialog = page.getByRole('dialog', { name: `Import the text into ${zone}` });
    await dialog.getByRole('row', { name: /removed old/ }).waitFor();
    await page.getByRole('textbox', { name: 'Reason' }).fill('as on the old server');
    await press(alice, 'Import');
    await expect.poll(() => owners(zone)).toEqual(['new 192.0.2.3', 'www 192.0.2.9']);
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({ kind: 'zone.imported', reason: 'as on the old server' });
    await expect.poll(() => textOf(alice).inputValue()).toBe('');
    // The same file again: nothing to import.
    await textOf(alice).fill(file(zone));
    await press(alice, 'Compare with the file');
    await section(alice).getByText('No records differ.').waitFor();
    expect(await page.getByRole('button', { name: 'Import…' }).count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  it('takes a file that is chosen or dropped, and only adds where that is asked for', async () => {
    const zone = 'chosen.example';
    const alice = await at(zone);
    const { page } = alice;
    const buffer = Buffer.from(file(zone));
    const given = { name: 'chosen.zone', mimeType: 'text/plain', buffer };
    await page.getByLabel(/^Choose a file/).setInputFiles(given);
    await expect.poll(() => textOf(alice).inputValue()).toBe(file(zone));
    await press(alice, 'Clear');
    await expect.poll(() => textOf(alice).inputValue()).toBe('');
    const dropped = await page.evaluateHandle(`(() => {
      const given = new DataTransfer();
      given.items.add(new File([${JSON.stringify(file(zone))}], 'dropped.zone'));
      return given;
    })()`);
    await section(alice).dispatchEvent('drop', { dataTransfer: dropped });
    await expect.poll(() => textOf(alice).inputValue()).toBe(file(zone));
    await press(alice, 'Compare with the file');
    await page.getByLabel('How it is imported').selectOption('Add what the zone lacks');
    await press(alice, 'Import…');
    await page.getByRole('dialog', { name: `Import dropped.zone into ${zone}` }).waitFor();
    await press(alice, 'Import');
    await expect
      .poll(() => owners(zone))
      .toEqual(['new 192.0.2.3', 'old 192.0.2.2', 'www 192.0.2.1', 'www 192.0.2.9']);
    expect(alice.complaints).toEqual([]);
  });

  it('compares one owner alone, and takes ticked RRsets from the file', async () => {
    const zone = 'parts.example';
    const alice = await at(zone);
    const { page } = alice;
    await textOf(alice).fill(file(zone));
    await press(alice, 'Compare with the file');
    await section(alice)
      .getByText(/: 1 RRset added, 1 changed, 1 removed\.$/)
      .waitFor();
    await page.getByLabel('Name', { exact: true }).fill('www');
    await expect.poll(() => row(alice, /removed old/).count()).toBe(0);
    await press(alice, 'Compare with the file');
    await section(alice)
      .getByText(/: 0 RRsets added, 1 changed, 0 removed\.$/)
      .waitFor();
    await page.getByLabel('Name', { exact: true }).fill('');
    await expect.poll(() => page.url()).not.toContain('name=');
    await press(alice, 'Compare with the file');
    for (const what of ['new', 'old']) {
      await page.getByRole('checkbox', { name: `Tick ${what}.${zone}. A` }).check();
    }
    await press(alice, 'Take 2 ticked RRsets from the file');
    const preview = page.getByRole('dialog', { name: `Take 2 RRsets of ${zone} from the text` });
    await preview.getByRole('row', { name: /added new/ }).waitFor();
    await preview.getByRole('row', { name: /removed old/ }).waitFor();
    await press(alice, 'Take 2 RRsets');
    await expect.poll(() => owners(zone)).toEqual(['new 192.0.2.3', 'www 192.0.2.1']);
    expect(alice.complaints).toEqual([]);
  });

  it('leads from an error to its line, and previews against the zone as it is', async () => {
    const zone = 'wrong.example';
    const alice = await at(zone);
    const { page } = alice;
    await textOf(alice).fill('www IN A nothing\nok 300 IN A 192.0.2.4\nbad IN MX 10\n');
    await press(alice, 'Compare with the file');
    await page.getByRole('button', { name: /^line 3: / }).waitFor();
    await page.getByRole('button', { name: /^line 1: / }).click();
    await expect.poll(() => textOf(alice).evaluate((area) => area.matches(':focus'))).toBe(true);
    expect(await page.getByRole('button', { name: 'Import…' }).count()).toBe(0);
    await textOf(alice).fill(file(zone));
    expect(await page.getByRole('button', { name: /^line 3: / }).count()).toBe(0);
    await press(alice, 'Compare with the file');
    await row(alice, /removed old/).waitFor();
    await add(zone, 'more', '192.0.2.5');
    await press(alice, 'Import…');
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /removed more/ })
      .waitFor();
    await press(alice, 'Cancel');
    expect(alice.complaints).toEqual([]);
  });

  it('compares with an earlier moment, and for who may only read, with nothing to import', async () => {
    const zone = 'past.example';
    const alice = await at(zone);
    const then = (await local('GET', `/zones/${zone}/versions?limit=1`)).items[0].created_at;
    await add(zone, 'later', '192.0.2.6');
    await alice.open(`/zones/${zone}/compare?at=${then}`);
    await textOf(alice).fill(file(zone));
    await press(alice, 'Compare with the file');
    await row(alice, /removed old/).waitFor();
    expect(await row(alice, /later/).count()).toBe(0);
    expect(await alice.page.getByRole('button', { name: 'Import…' }).count()).toBe(0);
    const grants = [{ zone_name: zone, actions: ['zone:read', 'record:read'] }];
    const reader = await browser.person();
    await reader.logIn(await tokenOf(service, 'reader', grants), `/zones/${zone}/compare`);
    await textOf(reader).fill(file(zone));
    await press(reader, 'Compare with the file');
    await row(reader, /removed later/).waitFor();
    expect(await reader.page.getByRole('button', { name: 'Import…' }).count()).toBe(0);
  });
});
