/** Lists of changes saved as files: all that the filters find, in forms that other programs read. */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'saved.example';
/** More than a page of the list, and than a request of the file. */
const changeCount = 230;
const formula = `=HYPERLINK("http://192.0.2.1","a, b")`;
const asRows = 'import csv, json, sys; print(json.dumps(list(csv.DictReader(sys.stdin))))';

needsPeers('chromium', 'python3')('lists of changes as files', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole(async (started) => {
    ({ service, browser, token } = started);
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: zone, ...soa });
    for (let number = 0; number < changeCount; number++) await set(`192.0.2.${number}`);
  });

  /** Gives www another address. */
  async function set(value: string, reason = 'renumbered') {
    const rrset = { name: 'www', type: 'A', ttl: 300, values: [value] };
    const answer = await fetch(`http://127.0.0.1:${service.apiPort}/changes`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'zonebook-reason': reason,
      },
      body: JSON.stringify({ zones: [{ name: zone, set: [rrset] }] }),
    });
    expect(answer.status).toBe(200);
  }

  async function at(path: string): Promise<Person> {
    const person = await browser.person();
    await person.logIn(token, path);
    await person.page.locator('main article').first().waitFor();
    await person.page.getByText('Save as a file').click();
    return person;
  }

  async function saved({ page }: Person, form: string) {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: form, exact: true }).click();
    const download = await waiting;
    const text = await readFile(await download.path(), 'utf8');
    return { name: download.suggestedFilename(), text };
  }

  it('has all of a zone, not only what is on the page', async () => {
    const person = await at(`/zones/${zone}/timeline?reason=renumbered`);
    const { page } = person;
    expect(await page.locator('main article').count()).toBe(50);
    const { name, text } = await saved(person, 'NDJSON');
    await page.getByText(`Saved: ${changeCount} changes.`).waitFor();
    expect(name).toBe(`${zone}-changes.ndjson`);
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toHaveLength(changeCount);
    const { event } = await callLocally(service, 'GET', `/events/${events[0].seq}`);
    expect(events[0]).toEqual(event);
    const serials = events.map(({ serial }) => serial);
    expect(serials).toEqual([...new Set(serials)].sort((one, other) => other - one));
    expect(person.complaints).toEqual([]);
  });

  it('is read by other programs, and nothing in it is a formula', async () => {
    await set('203.0.113.9', formula);
    const person = await at('/changes?mine=true&kind=records.changed');
    const { name, text } = await saved(person, 'CSV');
    expect(name).toBe('changes.csv');
    const output = execFileSync(peer('python3')!, ['-c', asRows], { input: text });
    const rows: Record<string, string>[] = JSON.parse(output.toString());
    expect(rows).toHaveLength(changeCount + 1);
    expect(rows[0]).toMatchObject({
      zone,
      actor: 'alice',
      source: 'api',
      reason: `'${formula}`,
      records: [
        `removed www.${zone}. 300 A 192.0.2.${changeCount - 1}`,
        `added www.${zone}. 300 A 203.0.113.9`,
      ].join('\n'),
      records_truncated: 'false',
    });
    expect(text.split('\r\n').at(-1)).toBe('');
    expect(person.complaints).toEqual([]);
  });

  it('says how far it is, and stops when that is wanted', async () => {
    const person = await at('/changes');
    const { page } = person;
    const gate = Promise.withResolvers<void>();
    await page.route(/\/events\?.*limit=200/, async (route) => {
      if (route.request().url().includes('before=')) await gate.promise;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'CSV', exact: true }).click();
    await page.getByText('200 changes so far').waitFor();
    await page.getByRole('button', { name: 'Stop saving CSV' }).click();
    await page.getByText('Stopped: nothing was saved.').waitFor();
    gate.resolve();
    expect(person.complaints).toEqual([]);
  });

  it('has what the filters find alone', async () => {
    const person = await at(`/changes?zone=${zone}&reason=renumbered`);
    const { page } = person;
    await page.getByLabel('Through').selectOption('cli');
    await page.getByText('No changes match.').waitFor();
    await page.getByText('Save as a file').click();
    expect((await saved(person, 'NDJSON')).text).toBe('');
    await page.getByLabel('Through').selectOption('anything');
    await page.locator('main article').first().waitFor();
    await page.getByLabel('From', { exact: true }).fill('2000-01-01T00:00:00');
    await page.getByLabel('Up to').fill('2000-12-31T00:00:00');
    await page.getByText('No changes match.').waitFor();
    expect(page.url()).toContain('since=2000-01-01T00%3A00%3A00.000Z');
    expect(person.complaints).toEqual([]);
  });
});
