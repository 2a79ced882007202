/** The form of a record in the console: fields by type, and the value as text beside them. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the form of a record', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  async function at(zone: string): Promise<Person> {
    await local('POST', '/zones', { name: zone, ...soa });
    const person = await browser.person();
    await person.logIn(token, `/zones/${zone}/records`);
    return person;
  }

  const press = ({ page }: Person, name: string) =>
    page.getByRole('button', { name, exact: true }).click();
  const fields = ({ page }: Person, type: string) =>
    page.getByRole('group', { name: `Fields of ${type}` });
  const box = ({ page }: Person, name: RegExp) =>
    page.getByRole('dialog').first().getByRole('textbox', { name });
  const line = ({ page }: Person) => page.getByRole('dialog').first().locator('output');
  const stored = async (zone: string, type: string) =>
    (await local('GET', `/records?zone_name=${zone}&type=${type}`)).items.map(
      ({ value, priority }: { value: unknown; priority: number | null }) => [priority, value],
    );

  const cases = [
    [
      'MX',
      [
        [/^Priority/, '10'],
        [/^Host/, 'mail.example.net.'],
      ],
      '10 mail.example.net.',
      [10, 'mail.example.net.'],
    ],
    [
      'SRV',
      [
        [/^Priority/, '1'],
        [/^Weight/, '2'],
        [/^Port/, '5060'],
        [/^Target/, 'sip.example.net.'],
      ],
      '1 2 5060 sip.example.net.',
      [1, '2 5060 sip.example.net.'],
    ],
    [
      'CAA',
      [
        [/^Flags/, '0'],
        [/^Tag/, 'issue'],
        [/^Authority/, 'ca.example.net; policy=ev'],
      ],
      '0 issue "ca.example.net; policy=ev"',
      [null, '0 issue "ca.example.net; policy=ev"'],
    ],
    [
      'TLSA',
      [
        [/^Usage/, '3'],
        [/^Selector/, '1'],
        [/^Matching/, '1'],
        [/^Data/, 'AB'.repeat(32)],
      ],
      `3 1 1 ${'AB'.repeat(32)}`,
      [null, expect.stringMatching(/^3 1 1 ab/i)],
    ],
    [
      'HTTPS',
      [
        [/^Priority/, '1'],
        [/^Target/, '.'],
        [/^Parameters/, 'alpn=h2,h3 port=8443'],
      ],
      '1 . alpn=h2,h3 port=8443',
      [null, expect.stringMatching(/^1 \. alpn=/)],
    ],
  ] as const;

  it.each(cases)('has the fields of %s, which make the value', async (type, typed, value, made) => {
    const zone = `${type.toLowerCase()}.example`;
    const alice = await at(zone);
    await press(alice, 'New record');
    await box(alice, /^Type/).fill(type);
    for (const [name, text] of typed) {
      // By single keys, so that what is half typed stays as it is.
      await fields(alice, type).getByRole('textbox', { name }).pressSequentially(text);
    }
    expect(await box(alice, /^Value/).inputValue()).toBe(value);
    expect(await line(alice).textContent()).toBe(`@ 3600 IN ${type} ${value}`);
    await press(alice, 'Preview');
    await press(alice, 'Create record');
    await expect.poll(() => stored(zone, type)).toEqual([made]);
    // It comes apart again when it is edited.
    await press(alice, `Edit @ ${type}`);
    const [[name, text]] = typed;
    const first = fields(alice, type).getByRole('textbox', { name });
    await expect.poll(() => first.inputValue()).toBe(text);
    expect(alice.complaints).toEqual([]);
  });

  it('follows what is typed as the value, and keeps fields that are emptied apart', async () => {
    const zone = 'both.example';
    const alice = await at(zone);
    await press(alice, 'New record');
    await box(alice, /^Type/).fill('mx');
    await box(alice, /^Value/).fill('20 mail.both.example.');
    const field = (name: RegExp) => fields(alice, 'MX').getByRole('textbox', { name });
    await expect.poll(() => field(/^Priority/).inputValue()).toBe('20');
    await field(/^Priority/).fill('');
    expect(await field(/^Host/).inputValue()).toBe('mail.both.example.');
    await field(/^Priority/).fill('5');
    expect(await box(alice, /^Value/).inputValue()).toBe('5 mail.both.example.');
    await press(alice, 'Put into the basket');
    await press(alice, 'Preview 1 edit');
    await press(alice, 'Make 1 edit');
    await expect.poll(() => stored(zone, 'MX')).toEqual([[5, 'mail.both.example.']]);
  });

  it('offers to finish a name that is not in the zone as it stands', async () => {
    const zone = 'finished.example';
    const alice = await at(zone);
    await press(alice, 'New record');
    await box(alice, /^Type/).fill('CNAME');
    await box(alice, /^Name/).fill('shop');
    await box(alice, /^Value/).fill('www');
    await alice.page.getByText('www has no dot at its end').waitFor();
    await press(alice, `Make it www.${zone}.`);
    expect(await box(alice, /^Value/).inputValue()).toBe(`www.${zone}.`);
    await alice.page.getByText('has no dot at its end').waitFor({ state: 'detached' });
    await press(alice, 'Preview');
    await press(alice, 'Create record');
    await expect.poll(() => stored(zone, 'CNAME')).toEqual([[null, `www.${zone}.`]]);
  });

  it('takes the text of a TXT plain, and shows its segments', async () => {
    const zone = 'text.example';
    const alice = await at(zone);
    const text = `v=DKIM1; p="${'A'.repeat(300)}"`;
    await press(alice, 'New record');
    await box(alice, /^Type/).fill('TXT');
    await box(alice, /^Value/).fill(text);
    const shown = (await line(alice).textContent())!;
    expect(shown).toMatch(/^@ 3600 IN TXT "v=DKIM1; p=\\"A{242,}" "A+\\""$/);
    await press(alice, 'Preview');
    await press(alice, 'Create record');
    const exported = async () =>
      (
        await fetch(`http://127.0.0.1:${service.apiPort}/zones/${zone}/export`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).text();
    // As the service writes it itself.
    await expect.poll(exported).toContain(shown.slice(shown.indexOf('"')));
    await press(alice, 'Edit @ TXT');
    await press(alice, 'Put into the basket');
    await press(alice, 'Preview 1 edit');
    await alice.page.getByText('No records differ.').waitFor();
    expect(alice.complaints).toEqual([]);
  });
});
