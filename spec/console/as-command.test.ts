/** A preview as lines for a shell: run by a real one, each does what the button would have done. */
import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, keepCopied, type Person } from '../support/browser.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { programCommand } from '../support/program.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
const hostile = `it's "$HOME" \`id\` \\ !x $(id) für; *`;

needsPeers('chromium', 'curl')('a preview of the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(
    (started) => {
      ({ service, browser, token } = started);
    },
    {},
    { needsClipboard: true },
  );

  /** Runs a line as somebody who has pasted it; the exit code. */
  const run = (line: string): Promise<number> =>
    new Promise((resolve) => {
      const script = `zonebook() { ${programCommand} "$@"; }\n${line}\n`;
      const env = { PATH: process.env.PATH, HOME: '/nowhere', ZONEBOOK_TOKEN: token };
      const child = execFile('/bin/sh', { env }, (error) => resolve(Number(error?.code ?? 0)));
      child.stdin!.end(script);
    });

  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const fill = ({ page }: Person, label: RegExp, text: string) =>
    page.getByRole('textbox', { name: label }).fill(text);

  async function at(zone: string, tab = 'records'): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    const person = await browser.person();
    await keepCopied(person);
    await person.logIn(token, `/zones/${zone}/${tab}`);
    return person;
  }

  /** The previewed TXT record with everything in it that a shell has a meaning for. */
  async function previewOfText(zone: string): Promise<Person> {
    const alice = await at(zone);
    await press(alice, 'New record');
    await fill(alice, /^Name/, 'text');
    await fill(alice, /^Type/, 'TXT');
    await fill(alice, /^Value/, hostile);
    await press(alice, 'Preview');
    await fill(alice, /^Reason/, hostile);
    await alice.page.getByText('Show as curl').click();
    return alice;
  }

  const lineOf = async ({ page }: Person, name: string): Promise<string> => {
    const line = page.getByRole('figure', { name }).locator('pre');
    await line.waitFor();
    await expect.poll(() => line.textContent()).toMatch(/eason/);
    return (await line.textContent())!;
  };

  for (const program of ['curl', 'zonebook']) {
    it(`is a line for ${program} with the same effect, whatever is in it`, async () => {
      const zone = `${program}.example`;
      const alice = await previewOfText(zone);
      const line = await lineOf(alice, program);
      expect(line).not.toContain(token);
      expect((await local('GET', `/records?zone_name=${zone}&type=TXT`)).items).toEqual([]);
      expect(await run(line)).toBe(0);
      const { items } = await local('GET', `/records?zone_name=${zone}&type=TXT`);
      expect(items).toMatchObject([{ name: `text.${zone}.`, value: hostile }]);
      const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
      expect(event).toMatchObject({ reason: hostile, actor: { name: 'alice' } });
      expect(alice.complaints).toEqual([]);
    });
  }

  it('is refused in a shell too once the zone is another', async () => {
    const alice = await previewOfText('stale.example');
    const line = await lineOf(alice, 'curl');
    await local('PUT', '/zones/stale.example', { refresh: 4321 });
    expect(await run(line)).not.toBe(0);
    expect((await local('GET', '/records?zone_name=stale.example&type=TXT')).items).toEqual([]);
  });

  for (const program of ['curl', 'zonebook']) {
    it(`is copied for ${program} as a whole, and says so`, async () => {
      const zone = `long-${program}.example`;
      const alice = await at(zone, 'text');
      const { page } = alice;
      const records = Array.from({ length: 1600 }, (_, number) => `r${number} 300 IN A 192.0.2.7`);
      const file = page.getByRole('textbox', { name: /^Zone file/ });
      await file.fill(['@ 300 IN NS ns1.example.com.', ...records, ''].join('\n'));
      await press(alice, 'Check');
      await press(alice, 'Apply…');
      await page.getByText('Show as curl').click();
      await press(alice, `Copy the ${program} line`);
      await page.getByRole('figure', { name: program }).getByText('Copied.').waitFor();
      await press(alice, 'Cancel');
      await file.fill('');
      await file.press('Control+v');
      await expect.poll(() => file.inputValue()).toContain('r1599');
      expect(await run(await file.inputValue())).toBe(0);
      const { pagination } = await local('GET', `/records?zone_name=${zone}&type=A&limit=1`);
      expect(pagination.total).toBe(records.length);
    });
  }

  const zone = 'asked.example';
  const screens = [
    '/zones?search=asked&sort=changed&signed=false&changed=day&by=alice',
    '/changes?kind=zone.created&source=cli&since=2026-01-01T00%3A00%3A00Z',
    '/secondaries',
    '/access',
    '/bin',
    '/health',
    '/search?q=asked',
    `/zones/${zone}/records?type=NS&search=name%3A*&signed=true`,
    `/zones/${zone}/timeline?name=%40&mine=true`,
    `/zones/${zone}/compare?from=1&type=A&actor=alice`,
    `/zones/${zone}/text`,
    `/zones/${zone}/dnssec`,
    `/zones/${zone}/secondaries`,
    `/zones/${zone}/settings`,
  ];

  /** What the lines of a screen are; both are run. */
  async function linesOf(person: Person): Promise<readonly [curl: string, zonebook: string]> {
    const { page } = person;
    await person.settled();
    await page.getByText('Ask for this page by curl').click();
    const read = async (program: string) => {
      const line = await page.getByRole('figure', { name: program }).locator('pre').textContent();
      expect({ line, code: await run(line!) }).toEqual({ line, code: 0 });
      return line!;
    };
    return [await read('curl'), await read('zonebook')];
  }

  it.each(sampleOf(screens, 2))('is asked for by both lines: %s', async (screen) => {
    await local('POST', '/zones', { name: zone, ...soa }).catch(() => {});
    const alice = await browser.person();
    await alice.logIn(token, screen);
    await linesOf(alice);
    expect(alice.complaints).toEqual([]);
  });

  it('is asked for by both lines: a role', async () => {
    await local('POST', '/roles', { name: 'on-call' });
    const alice = await browser.person();
    await alice.logIn(token, '/access?role=on-call');
    const [curl, zonebook] = await linesOf(alice);
    expect(curl).toContain('/roles/on-call');
    expect(zonebook).toMatch(/^zonebook role get .*on-call/);
    expect(alice.complaints).toEqual([]);
  });

  it('is asked for by both lines: a deleted zone', async () => {
    const name = 'asked-deleted.example';
    const made = await local('POST', '/zones', { name, ...soa });
    await local('DELETE', `/zones/${name}`);
    // One that has the name by now is another.
    await local('POST', '/zones', { name, ...soa });
    const { id } = made.zone;
    const alice = await browser.person();
    await alice.logIn(token);
    const asked = {
      records: `/zones/${name}/export?deleted_id=${id}`,
      'timeline?name=www': `/events?zone_id=${id}&name=www.${name}.`,
      versions: `/zones/${name}/versions?deleted_id=${id}`,
      'compare?from=1': `/zones/${name}/versions/diff?at=1&deleted_id=${id}`,
      text: `/zones/${name}/export?deleted_id=${id}`,
      settings: `/zones?deleted=true&search=${name}`,
    };
    for (const [tab, expected] of Object.entries(asked)) {
      await alice.open(`/bin/${name}/${id}/${tab}`);
      const [curl] = await linesOf(alice);
      const url = new URL(/http:[^' ]+/.exec(curl)![0]);
      const wanted = new URL(expected, url);
      const of = ({ pathname, searchParams }: URL) => [pathname, [...searchParams].toSorted()];
      expect(of(url)).toEqual(of(wanted));
    }
    expect(alice.complaints).toEqual([]);
  });
});
