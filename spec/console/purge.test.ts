/** The page that purges a zone of the bin: opened by its address, which does nothing, and made by keys. */
import { expect, it } from 'vitest';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

needsPeers('chromium')('the purge of a zone in the console', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  /** A deleted zone with two versions; its page. */
  async function deleted(name: string): Promise<string> {
    const { zone } = await local('POST', '/zones', { name, ...soa });
    await local('POST', '/records', {
      zone_name: name,
      name: 'www',
      type: 'A',
      value: '192.0.2.1',
    });
    await local('DELETE', `/zones/${name}`);
    return `/bin/${name}/${zone.id}/purge`;
  }
  const isInBin = async (name: string) =>
    (await local('GET', `/zones?deleted=true&search=${name}`)).items.length > 0;
  const confirm = ({ page }: Person, name: string) =>
    page.getByRole('textbox', { name: `Type ${name} to confirm` });

  it('is reached from the bin, says what is lost and what holds it still, and asks for the name', async () => {
    const name = 'lost.example';
    const path = await deleted(name);
    const { records, versions } = (await local('GET', `/zones?deleted=true&search=${name}`))
      .items[0];
    const alice = await browser.person();
    await alice.logIn(token, '/bin');
    const { page } = alice;
    await page.getByRole('link', { name: `Purge ${name}` }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console${path}`);
    const purge = page.getByRole('region', { name: 'Purge', exact: true });
    await purge.getByText(`It has ${records} records and ${versions} versions.`).waitFor();
    await purge.getByText('Backups and replicas that were made before the purge').waitFor();
    await confirm(alice, name).fill('los.example');
    await confirm(alice, name).press('Control+Enter');
    expect(await purge.getByRole('textbox').and(page.locator(':invalid')).count()).toBe(1);
    expect(await isInBin(name)).toBe(true);
    await confirm(alice, name).fill(name);
    await confirm(alice, name).press('Control+Enter');
    await page.getByRole('heading', { name: 'Bin', exact: true }).waitFor();
    await page.getByRole('status').getByText(`Purge zone ${name}: done.`).waitFor();
    expect(await isInBin(name)).toBe(false);
    await alice.open(path);
    await page.getByText('It is not in the bin').waitFor();
    expect(alice.complaints).toEqual([]);
  });

  it('is the same page for whoever opens its address, and nothing happens by that', async () => {
    const name = 'shared.example';
    const path = await deleted(name);
    const alice = await browser.person();
    await alice.logIn(token, path);
    await confirm(alice, name).waitFor();
    await alice.page.reload();
    await confirm(alice, name).waitFor();
    expect(await confirm(alice, name).inputValue()).toBe('');
    expect(await isInBin(name)).toBe(true);
    const { items } = await local('GET', '/events?kind=zone.purged&limit=100');
    expect(JSON.stringify(items)).not.toContain(name);
    await alice.open(`${path}?at=${new Date().toISOString()}`);
    await alice.page.getByText('Nothing can be purged at an earlier moment.').waitFor();
    const creator = await browser.person();
    await creator.logIn(await tokenOf(service, 'maker', [{ actions: ['zone:create'] }]), path);
    await creator.page.getByText(`Your role may not purge ${name}.`).waitFor();
    expect(await confirm(creator, name).count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  it('takes a reason, without which nothing is sent where the role requires one', async () => {
    const name = 'why.example';
    const path = await deleted(name);
    await local('POST', '/roles', { name: 'careful', reason_required: true });
    await local('POST', '/roles/careful/grants', { actions: ['zone:create', 'zone:delete'] });
    const made = await local('POST', '/tokens', { name: 'carol', role_name: 'careful' });
    const carol = await browser.person();
    await carol.logIn(made.secret, path);
    await confirm(carol, name).fill(name);
    await carol.page.getByText('type one first').waitFor();
    await confirm(carol, name).press('Control+Enter');
    expect(await isInBin(name)).toBe(true);
    const reason = carol.page.getByRole('textbox', { name: 'Reason (required)' });
    await reason.fill('the customer left');
    await carol.page.getByRole('button', { name: 'Purge for good' }).click();
    await carol.page.getByRole('heading', { name: 'Bin', exact: true }).waitFor();
    const { items } = await local('GET', '/events?kind=zone.purged&limit=1');
    expect(items[0]).toMatchObject({ reason: 'the customer left', actor: { name: 'carol' } });
    expect(carol.complaints).toEqual([]);
  });
});
