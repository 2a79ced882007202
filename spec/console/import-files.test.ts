/** Many zone files at once in the console: each is checked before anything is made, then all that can be are made. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = '@ 3600 IN SOA ns1.example.com. hostmaster.example.com. 7 3600 600 604800 300';

const fileOf = (...lines: readonly string[]) =>
  [soa, '@ 3600 IN NS ns1.example.com.', ...lines, ''].join('\n');

needsPeers('chromium')('many zone files', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  async function atImport(): Promise<Person> {
    const person = await browser.person();
    await person.logIn(token, '/import');
    await person.page.getByLabel(/^Choose a zone file/).waitFor();
    return person;
  }

  const choose = ({ page }: Person, files: Readonly<Record<string, string>>) =>
    page.getByLabel(/^Choose a zone file/).setInputFiles(
      Object.entries(files).map(([name, text]) => {
        return { name, mimeType: 'text/plain', buffer: Buffer.from(text) };
      }),
    );
  const row = ({ page }: Person, name: string | RegExp) => page.getByRole('row', { name });
  const names = async (search: string) =>
    (await local('GET', `/zones?search=${search}`)).items.map(({ name }: { name: string }) => name);

  it('reports on each before anything is made, and makes those that can be', async () => {
    await local('POST', '/zones', {
      name: 'there.many.example',
      mname: 'ns1.example.com',
      rname: 'hostmaster@example.com',
    });
    const person = await atImport();
    const { page } = person;
    await choose(person, {
      'one.many.example.zone': fileOf('www 300 IN A 192.0.2.1', 'mail 300 IN A 192.0.2.2'),
      'db.two.many.example': fileOf('www 300 IN A 192.0.2.3'),
      'broken.many.example.zone': fileOf('www 300 IN A 192.0.2.300'),
      'there.many.example.zone': fileOf(),
      'again.zone': `$ORIGIN one.many.example.\n${fileOf()}`,
      notes: 'what is to be done',
    });
    await page
      .getByText('2 zones can be created, something is wrong with 4 files.', { exact: true })
      .waitFor();
    await row(person, /one\.many\.example\.zone one\.many\.example 3 records/).waitFor();
    await row(person, /broken.*1 error; line 3: /).waitFor();
    await row(person, /there.*the zone is there already/).waitFor();
    await row(person, /again\.zone.*another file is of the same zone/).waitFor();
    await row(person, /notes.*neither its text nor its name/).waitFor();
    expect(await names('many.example')).toEqual(['there.many.example']);
    await page.getByLabel('Reason').fill('from the old server');
    await page.getByRole('button', { name: 'Create 2 zones' }).click();
    await page.getByText(/^2 zones created, something is wrong with 4 files/).waitFor();
    expect(await names('many.example')).toEqual([
      'one.many.example',
      'there.many.example',
      'two.many.example',
    ]);
    const { items } = await local('GET', '/events?kind=zone.imported');
    expect(items.map(({ reason }: { reason: string }) => reason)).toEqual(
      Array.from({ length: 2 }, () => 'from the old server'),
    );
    await page.getByRole('link', { name: 'two.many.example' }).click();
    await row(person, /www.*192\.0\.2\.3/).waitFor();
    expect(person.complaints).toEqual([]);
  });

  it('takes files that are dropped, and goes back to one', async () => {
    const person = await atImport();
    const { page } = person;
    const texts = [fileOf('www 300 IN A 192.0.2.1'), fileOf()];
    const dropped = await page.evaluateHandle(`(() => {
      const given = new DataTransfer();
      const add = (text, name) => given.items.add(new File([text], name));
      add(${JSON.stringify(texts[0])}, 'a.dropped.example.zone');
      add(${JSON.stringify(texts[1])}, 'b.dropped.example.zone');
      return given;
    })()`);
    await page
      .locator('label', { hasText: 'Choose a zone file' })
      .dispatchEvent('drop', { dataTransfer: dropped });
    await page.getByText('2 zones can be created.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Back to one file' }).click();
    await page.getByLabel(/^Choose a zone file/).waitFor();
    expect(await names('dropped.example')).toEqual([]);
    expect(person.complaints).toEqual([]);
  });
});
