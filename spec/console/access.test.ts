/** Access in the console: tokens, roles with their grants, TSIG keys, and secrets that are shown once. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium', 'nsupdate')('access in the console', () => {
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
  const fill = ({ page }: Person, label: RegExp, text: string) =>
    page.getByRole('dialog').getByRole('textbox', { name: label }).fill(text);
  const isFocused = ({ page }: Person, name: string) =>
    expect
      .poll(() =>
        page.getByRole('button', { name, exact: true }).and(page.locator(':focus')).count(),
      )
      .toBe(1);
  const permissionsOf = (secret: string) =>
    fetch(`http://127.0.0.1:${service.apiPort}/permissions`, {
      headers: { authorization: `Bearer ${secret}` },
    });

  /** Fills the form of a token and makes it. */
  async function make(person: Person, name: string, role: string): Promise<string> {
    await press(person, 'New token');
    await fill(person, /^Name/, name);
    await person.page.getByRole('dialog').getByLabel('Role').selectOption(role);
    await press(person, 'Preview');
    await press(person, 'Create token');
    const shown = person.page.getByRole('dialog', { name: `The secret of token ${name}` });
    return (await shown.getByText(/^zb_\w+$/).textContent())!;
  }

  it('makes a role, grants it something in a sentence, and revokes that', async () => {
    await local('POST', '/zones', { name: 'granted.example', ...soa });
    const alice = await browser.person();
    await alice.logIn(token, '/access');
    const { page } = alice;
    await press(alice, 'New role');
    await fill(alice, /^Name/, 'dns-ops');
    await fill(alice, /^Description/, 'who is on call');
    await page.getByRole('checkbox', { name: 'Each write needs a reason' }).check();
    await press(alice, 'Preview');
    await press(alice, 'Create role');
    await page.getByRole('heading', { name: 'Role dns-ops' }).waitFor();
    await page.getByText('Each of their writes needs a reason.').waitFor();
    await press(alice, 'New grant');
    await page.getByRole('checkbox', { name: 'record:create' }).check();
    await page.getByRole('checkbox', { name: 'record:delete' }).check();
    await fill(alice, /^Zone/, 'granted.example');
    await fill(alice, /^Names/, '*.dyn');
    await fill(alice, /^Types/, 'a, aaaa');
    await press(alice, 'Preview');
    const sentence = 'may create and delete A, AAAA of *.dyn in granted.example';
    await page.getByText(`From now on role dns-ops ${sentence}.`).waitFor();
    expect((await local('GET', '/roles/dns-ops/grants')).items).toEqual([]);
    await press(alice, 'Grant');
    const grants = page.getByRole('region', { name: 'Grants' });
    await grants.getByText(sentence, { exact: true }).waitFor();
    const [grant] = (await local('GET', '/roles/dns-ops/grants')).items;
    expect(grant).toMatchObject({
      zone_name: 'granted.example',
      actions: ['record:create', 'record:delete'],
      record_name_pattern: '*.dyn',
      record_types: 'A,AAAA',
    });
    await press(alice, `Revoke: ${sentence}`);
    await press(alice, 'Revoke');
    await grants.getByText('Nothing yet.').waitFor();
    await press(alice, 'Change the role');
    await fill(alice, /^Description/, 'nobody');
    await page.getByRole('checkbox', { name: 'Each write needs a reason' }).uncheck();
    await press(alice, 'Preview');
    await press(alice, 'Change role');
    await page.getByText('nobody', { exact: true }).waitFor();
    expect((await local('GET', '/roles/dns-ops')).role.reason_required).toBe(false);
    await press(alice, 'Delete the role…');
    await press(alice, 'Delete role');
    await page.getByRole('heading', { name: 'Access', exact: true }).waitFor();
    await expect
      .poll(async () => (await local('GET', '/roles')).items.map(({ name }: Named) => name))
      .not.toContain('dns-ops');
    expect(alice.complaints).toEqual([]);
  });

  it('shows the secret of a new token once, and asks before it is left unseen', async () => {
    await tokenOf(service, 'reader', [{ actions: ['zone:read'] }]);
    const alice = await browser.person();
    await alice.logIn(token, '/access');
    const { page } = alice;
    const secret = await make(alice, 'unseen', 'reader');
    expect((await permissionsOf(secret)).status).toBe(200);
    const dialog = page.getByRole('dialog', { name: 'The secret of token unseen' });
    const asked = dialog.getByRole('alert').getByText('neither copied nor downloaded');
    await page.keyboard.press('Escape');
    await asked.waitFor();
    // A browser lets a page hold back one Escape only.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await asked.waitFor();
    expect(await dialog.isVisible()).toBe(true);
    alice.stays = true;
    await page.goto('about:blank').catch(() => {});
    expect(alice.askedToStay).toBe(1);
    await dialog.getByText(secret).waitFor();
    expect(await alice.stored()).not.toContain(secret);
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('link', { name: 'Download for curl --config' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('unseen.curlrc');
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-curl-'));
    const path = join(folder, 'curlrc');
    await download.saveAs(path);
    expect(readFileSync(path, 'utf8')).toContain(secret);
    const url = `http://127.0.0.1:${service.apiPort}/tokens/self`;
    const said = execFileSync('curl', ['-sS', '--config', path, url]).toString();
    expect(JSON.parse(said).token.name).toBe('unseen');
    rmSync(folder, { recursive: true });
    await press(alice, 'Close');
    await isFocused(alice, 'New token');
    expect(await page.content()).not.toContain(secret);
    alice.stays = false;
    await page.reload();
    expect(alice.askedToStay).toBe(1);
    await alice.settled();
    await press(alice, 'Delete token unseen');
    await press(alice, 'Delete token');
    await page.getByRole('row', { name: /^unseen/ }).waitFor({ state: 'detached' });
    expect((await permissionsOf(secret)).status).toBe(401);
    await make(alice, 'copied', 'reader');
    await press(alice, 'Close');
    await press(alice, 'Leave without it');
    await isFocused(alice, 'New token');
    expect(alice.complaints).toEqual([]);
  });

  it('makes a TSIG key, whose lines nsupdate takes', async () => {
    await local('POST', '/zones', { name: 'dyn.example', ...soa });
    const actions = ['record:create', 'record:delete'];
    await tokenOf(service, 'updaters', [{ zone_name: 'dyn.example', actions }]);
    const alice = await browser.person();
    await alice.logIn(token, '/access');
    const { page } = alice;
    await press(alice, 'New TSIG key');
    await fill(alice, /^Name/, 'host.dyn.example');
    await page.getByRole('dialog').getByLabel('Role').selectOption('updaters');
    await page.getByRole('dialog').getByLabel('Algorithm').selectOption('hmac-sha512');
    await press(alice, 'Preview');
    await press(alice, 'Create key');
    const dialog = page.getByRole('dialog', { name: 'The key host.dyn.example' });
    await dialog.waitFor();
    const stored = await local('GET', '/tsig-keys/host.dyn.example');
    for (const program of ['named', 'knot', 'nsupdate']) {
      const lines = await dialog
        .getByRole('figure', { name: program })
        .locator('pre')
        .textContent();
      expect(lines).toContain(stored.secret);
      expect(lines).toContain('hmac-sha512');
    }
    const lines = dialog.getByRole('figure', { name: 'nsupdate' }).locator('pre');
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-key-'));
    const path = join(folder, 'key');
    writeFileSync(path, `${await lines.textContent()}\n`);
    chmodSync(path, 0o600);
    const input = [
      `server 127.0.0.1 ${service.dnsPort}`,
      'zone dyn.example',
      'update add www.dyn.example 300 A 192.0.2.1',
      'send',
      '',
    ].join('\n');
    execFileSync(peer('nsupdate')!, ['-k', path], { input });
    rmSync(folder, { recursive: true });
    const { items } = await local('GET', '/records?zone_name=dyn.example&type=A');
    expect(items).toHaveLength(1);
    await press(alice, 'Close');
    await isFocused(alice, 'New TSIG key');
    await press(alice, 'Show key host.dyn.example');
    await dialog.getByText(stored.secret, { exact: true }).waitFor();
    await press(alice, 'Close');
    await press(alice, 'Delete key host.dyn.example');
    await press(alice, 'Delete key');
    await page.getByText('No TSIG keys yet.').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('draws nothing of it for who does not manage access, but what they may do', async () => {
    const actions = ['zone:read', 'record:read'];
    const secret = await tokenOf(service, 'onlooker', [{ actions }]);
    const bob = await browser.person();
    await bob.logIn(secret, '/access');
    const own = bob.page.getByRole('region', { name: 'What you may do' });
    await own.getByText('may read all records in all zones; read all zones').waitFor();
    expect(
      await bob.page.getByRole('heading', { name: /Tokens|Roles|keys|Browsers/ }).count(),
    ).toBe(0);
    expect(await bob.page.getByRole('button', { name: /New|Delete|Revoke|Show/ }).count()).toBe(0);
    await bob.open('/access?role=admin');
    await own.waitFor();
    const alice = await browser.person();
    await alice.logIn(token, `/access?at=${new Date(Date.now()).toISOString()}`);
    await alice.page.getByRole('heading', { name: 'TSIG keys' }).waitFor();
    expect(await alice.page.getByRole('button', { name: /New|Delete|Revoke/ }).count()).toBe(0);
  });
});

interface Named {
  readonly name: string;
}
