/** Keys are rolled, promoted, withdrawn and given up from the page, below a real parent and by a clock that is set. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Locator, Route } from 'playwright-core';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { FrozenClock } from '../support/frozen-clock.ts';
import { ParentZone, parentName } from '../support/parent-zone.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const dsTtl = 900;
const labels = [
  'walk',
  'aborted',
  'skipped',
  'ended',
  'read',
  'expiring',
  'binned',
  'steps',
  'drawn',
] as const;
const nameOf = (label: (typeof labels)[number]) => `${label}.${parentName}`;

needsPeers(
  'chromium',
  'named',
  'nsupdate',
  'dig',
  'faketime',
)('the signing of a zone', () => {
  const clock = new FrozenClock('2026-11-18T08:00:00Z');
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  let parent: ParentZone;
  beforeAll(async () => {
    parent = await ParentZone.start(labels, dsTtl);
  });
  // The service, which lives by the clock, ends before it does.
  afterAll(() => clock[Symbol.dispose]());
  afterAll(() => parent?.[Symbol.asyncDispose]());
  beforeConsole(
    (started) => {
      ({ service, browser, token } = started);
    },
    { ...clock.env, ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1' },
  );
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);

  interface Key {
    readonly key_tag: number;
    readonly state: string;
  }
  const statusOf = (zone: string) => local('GET', `/zones/${zone}/dnssec`);
  const tagIn = async (zone: string, state: string): Promise<number> =>
    (await statusOf(zone)).keys.find((key: Key) => key.state === state).key_tag;

  /** The DS of keys that were seen, in presentation form. */
  const dsOf = new Map<number, string>();

  /** The parent serves the DS of these keys and no others. */
  async function serve(zone: string, ...tags: readonly number[]): Promise<void> {
    for (const { key_tag: tag, presentation } of (await statusOf(zone)).ds_records) {
      dsOf.set(tag, presentation);
    }
    await parent.setDs(
      zone,
      tags.map((tag) => dsOf.get(tag)!),
    );
  }

  /** A signed zone whose DS is at the parent, and somebody who looks at it. */
  async function signed(label: (typeof labels)[number], by = token): Promise<[string, Person]> {
    const zone = nameOf(label);
    const soa = { mname: `ns1.${zone}`, rname: `root@${zone}`, default_ttl: 300, refresh: 300 };
    await local('POST', '/zones', { name: zone, ...soa });
    await local('POST', `/zones/${zone}/dnssec`, {
      parent_ns_addrs: [`127.0.0.1:${parent.port}`],
    });
    const person = await browser.person();
    await person.page.clock.setFixedTime(clock.now);
    await person.logIn(by, `/zones/${zone}/dnssec`);
    return [zone, person];
  }

  async function later(minutes: number, { page }: Person): Promise<void> {
    clock.set(new Date(clock.now.getTime() + minutes * 60_000).toISOString());
    await page.clock.setFixedTime(clock.now);
    await page.reload();
  }

  const press = ({ page }: Person, name: string | RegExp) =>
    page.getByRole('button', { name, exact: true }).click();
  const saying = ({ page }: Person, text: string | RegExp) =>
    page.getByRole('status').getByText(text);
  const says = (person: Person, text: string | RegExp) => saying(person, text).waitFor();
  const dialogOf = ({ page }: Person, name: RegExp) => page.getByRole('dialog', { name });
  const gone = (person: Person, name: RegExp) =>
    dialogOf(person, name).waitFor({ state: 'detached' });

  /** Looks again until the service has done by itself what it does. */
  async function comesTo(person: Person, text: RegExp): Promise<void> {
    const { page } = person;
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.locator('.what-next').waitFor();
          return page.locator('.what-next').innerText();
        },
        { interval: 500 },
      )
      .toMatch(text);
  }

  /** Asks the parent until the page says this: one that is asked once may answer too late. */
  async function askUntil(
    { page }: Person,
    button: 'Ask now' | 'Ask the parent now',
    said: Locator,
  ): Promise<void> {
    const ask = page.getByRole('button', { name: button, exact: true });
    const isAsking = page.getByRole('region', { name: 'DNSSEC' }).locator('[aria-busy="true"]');
    let asks = 0;
    await expect
      .poll(async () => {
        if (asks++ === 0 || (await said.count()) === 0) {
          const answered = page.waitForResponse(/\/dnssec\/check-ds$/);
          await ask.click();
          await answered;
        }
        await expect.poll(() => isAsking.count()).toBe(0);
        return said.count();
      })
      .toBe(1);
  }

  /** Waits until a preview says this: a parent that answered too late for it is asked again. */
  async function previews(dialog: Locator, said: Locator): Promise<void> {
    const late = dialog.getByText(/^See that the server named above answers/);
    await expect
      .poll(async () => {
        if ((await late.count()) > 0)
          await dialog.getByRole('button', { name: 'Try again' }).click();
        await dialog.locator('[aria-busy="false"]').first().waitFor();
        return said.count();
      })
      .toBe(1);
  }

  it('says at each state of a roll what is next, with the one thing to press', async () => {
    const [zone, alice] = await signed('walk');
    const { page } = alice;
    const ask = page.getByRole('button', { name: 'Ask now' });
    await says(alice, /^Nothing to do before .*: caches hold the zone unsigned/);
    expect(await ask.count()).toBe(0);
    // The largest TTL and the refresh are over.
    await later(11, alice);
    await comesTo(alice, /^Nothing to do, if every server of the parent has the DS/);
    await expect.poll(async () => (await statusOf(zone)).next_steps).toEqual([]);
    await ask.click();
    await says(alice, /^Give the DS to the parent: not every server/);
    const old = await tagIn(zone, 'active');
    await serve(zone, old);
    const isServed = saying(alice, /^Nothing to do: every server of the parent has the DS\./);
    await askUntil(alice, 'Ask now', isServed);
    await ask.waitFor({ state: 'detached' });

    await press(alice, 'Roll the CSK…');
    const roll = dialogOf(alice, /^Roll the CSK of/);
    await roll.getByText(`A new CSK is published beside key ${old}.`).waitFor();
    // The times of the service are said as all of the page are.
    await roll
      .getByText(/not before 18 Nov 2026, 08:21:00|not before Nov 18, 2026, 8:21:00/)
      .waitFor();
    await roll.getByLabel('Reason').fill('a year has passed');
    await press(alice, 'Publish a new key');
    await gone(alice, /^Roll/);
    await says(alice, /^Give the DS of key \d+ to the parent\. The key takes over by itself/);
    const fresh = await tagIn(zone, 'published');
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({
      reason: 'a year has passed',
      actor: { name: 'alice' },
      signing: { reason: 'key-published', key_tags: [fresh] },
    });

    await later(11, alice);
    await comesTo(alice, /the roll waits for it, since .*serves no DS of key/);
    await ask.click();
    await page.getByText('Not every server of the parent has the DS.').waitFor();
    await serve(zone, old, fresh);
    await comesTo(alice, new RegExp(`^The parent needs the DS of key ${old} no more`));
    // It takes the new DS away again.
    await serve(zone, old);
    await later(30, alice);
    await comesTo(alice, new RegExp(`have that of key ${old} removed: .*names no active key`));
    await ask.waitFor();
    await serve(zone, fresh);
    // The TTL of the DS that it had is waited for once more, from when it was seen to be gone.
    await comesTo(alice, new RegExp(`^The parent needs the DS of key ${old} no more`));
    await later(30, alice);
    await comesTo(alice, /^Nothing to do, if every server of the parent has the DS/);
    expect(await page.getByRole('row', { name: new RegExp(`^${old} `) }).count()).toBe(0);
    expect(alice.complaints).toEqual([]);
  });

  it('refuses a promotion in the dialog, and skips what is chosen once the name is typed', async () => {
    const [zone, alice] = await signed('skipped');
    const { page } = alice;
    const old = await tagIn(zone, 'active');
    await serve(zone, old);
    await local('POST', `/zones/${zone}/dnssec/rollover`, {});
    await page.reload();
    const fresh = await tagIn(zone, 'published');
    // What the preview is told counts, and not what the page had.
    const withoutFresh = async (route: Route) => {
      const response = await route.fetch();
      const json = await response.json();
      json.keys = json.keys.filter((key: Key) => key.key_tag !== fresh);
      await route.fulfill({ response, json });
    };
    const promotion = page.getByRole('button', { name: `Promote key ${fresh}…` });
    await promotion.waitFor();
    await page.route(`**/zones/${zone}/dnssec`, withoutFresh, { times: 1 });
    await promotion.click();
    const dialog = dialogOf(alice, /^Promote key/);
    await dialog.getByRole('alert').getByText(`key ${fresh} waits for no promotion`).waitFor();
    await press(alice, 'Try again');
    await dialog
      .getByRole('alert')
      .getByText(/may be promoted from .* on/)
      .waitFor();
    const promote = dialog.getByRole('button', { name: 'Promote', exact: true });
    expect(await promote.count()).toBe(0);
    await dialog.getByText('I know better').click();
    await dialog.getByText(`without key ${fresh} find what it signs bogus, until`).waitFor();
    await press(alice, 'Skip this check');
    await previews(dialog, dialog.getByRole('alert').getByText(/serves no DS of key/));
    await dialog.getByText('Give the DS of the new key to the parent').waitFor();
    await dialog.getByText('I know better').click();
    await dialog.getByText('all of the zone is bogus, until').waitFor();
    await press(alice, 'Skip this check');
    await dialog.getByText(`takes over from key ${old}. That can not be undone.`).waitFor();
    const risks = dialog.getByRole('list', { name: 'What is risked' }).getByRole('listitem');
    expect(await risks.count()).toBe(2);
    await dialog.getByLabel('Reason').fill('in a hurry');
    await press(alice, 'Promote');
    // The browser asks for the name first.
    expect(await tagIn(zone, 'published')).toBe(fresh);
    await dialog.getByLabel(/to confirm/).fill(zone);
    await dialog.getByText('Show as curl').click();
    const line = dialog.getByRole('figure', { name: 'zonebook' });
    await line.getByText(/dnssec promote .*--skip-holddown --skip-ds-check/).waitFor();
    await press(alice, 'Promote');
    await gone(alice, /^Promote/);
    expect(await tagIn(zone, 'active')).toBe(fresh);
    expect(alice.complaints).toEqual([]);
  });

  it('lists the past steps of its keys by name, each with the way to the zone then', async () => {
    const [zone, alice] = await signed('steps');
    const { page } = alice;
    const old = await tagIn(zone, 'active');
    await serve(zone, old);
    await local('POST', `/zones/${zone}/dnssec/rollover`, {});
    const fresh = await tagIn(zone, 'published');
    await local('POST', `/zones/${zone}/dnssec/rollover/abort`, {});
    const { serial } = (await local('GET', `/zones/${zone}`)).zone;
    await page.reload();
    const steps = page.getByRole('table', { name: 'Past steps' }).getByRole('row');
    await expect
      .poll(async () => (await steps.allInnerTexts()).slice(1).map((text) => text.split('\t')[0]))
      .toEqual(['Roll aborted', 'New key published', 'Signing began']);
    expect(await steps.nth(2).innerText()).toContain(String(fresh));
    await steps
      .nth(1)
      .getByRole('link', { name: `The zone at serial ${serial}` })
      .click();
    await page.getByText('You look at').waitFor();
    await page.getByRole('region', { name: 'Records' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(clock.now.toISOString());
    expect(alice.complaints).toEqual([]);
  });

  it('leads from each bar of the drawing to what its state means, and says where its DS is', async () => {
    const [zone, alice] = await signed('drawn');
    const { page } = alice;
    const old = await tagIn(zone, 'active');
    await serve(zone, old);
    await local('POST', `/zones/${zone}/dnssec/rollover`, {});
    await page.reload();
    const fresh = await tagIn(zone, 'published');
    const drawing = page.getByRole('region', { name: 'Keys over time' });
    const bar = (tag: number, state: string) =>
      drawing.getByRole('link', { name: new RegExp(`^Key ${tag}: ${state}`) }).first();
    await bar(fresh, 'published').waitFor();
    const meaning = page.getByText(/RFC 7583: Published until no cache can lack it/);
    expect(await meaning.isVisible()).toBe(false);
    await bar(fresh, 'published').focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => meaning.isVisible()).toBe(true);
    expect(page.url()).toContain('#key-published');
    const isAtParent = page.getByText('DS at 1 of 1 parent', { exact: true });
    await askUntil(alice, 'Ask the parent now', isAtParent);
    await page.getByText('DS at 0 of 1 parent', { exact: true }).waitFor();
    expect(await bar(old, 'active').getAttribute('aria-label')).toContain('DS at 1 of 1 parent');
    expect(alice.complaints).toEqual([]);
  });

  it('says on which day how many signatures expire', async () => {
    const [zone, alice] = await signed('expiring');
    const { expirations } = await statusOf(zone);
    const rows = alice.page.getByRole('table', { name: /^Signatures by the day/ }).getByRole('row');
    await alice.page.getByText('Signatures by the day on which they expire').first().click();
    await rows.nth(expirations.length).waitFor();
    const shown = await rows.allInnerTexts();
    for (const [index, { date, signatures }] of expirations.entries()) {
      expect(shown[index + 1]).toMatch(new RegExp(`^${date}\\s+${signatures}\\b`));
    }
    expect(await alice.page.getByRole('meter').count()).toBe(expirations.length);
    expect(alice.complaints).toEqual([]);
  });

  it('aborts a roll, unless the parent relies on the new key alone', async () => {
    const [zone, alice] = await signed('aborted');
    const { page } = alice;
    const old = await tagIn(zone, 'active');
    await serve(zone, old);
    for (const isReliedOn of [true, false]) {
      await press(alice, 'Roll the CSK…');
      await press(alice, 'Publish a new key');
      await gone(alice, /^Roll/);
      const fresh = await tagIn(zone, 'published');
      if (isReliedOn) await serve(zone, fresh);
      await press(alice, `Abort the roll of key ${fresh}…`);
      const dialog = dialogOf(alice, /^Abort the roll/);
      if (isReliedOn) {
        await previews(dialog, dialog.getByText('Have the DS removed at the parent'));
        await dialog.getByRole('alert').waitFor();
        await serve(zone, old);
        await dialog.getByText('I know better').click();
        await dialog.getByText(`DS of key ${fresh} is the only one`).waitFor();
        await press(alice, 'Skip this check');
        await dialog.getByLabel(/to confirm/).fill(zone);
      }
      await previews(dialog, dialog.getByText(`Key ${old} stays active.`));
      await dialog.getByLabel('Reason').fill('the wrong zone');
      await expect
        .poll(async () => {
          const answered = page.waitForResponse(/\/dnssec\/rollover\/abort/);
          await press(alice, 'Abort the roll');
          await answered;
          return (await statusOf(zone)).keys.map((key: Key) => key.key_tag);
        })
        .toEqual([old]);
      await gone(alice, /^Abort/);
      expect((await statusOf(zone)).keys).toMatchObject([{ key_tag: old, state: 'active' }]);
    }
    expect(alice.complaints).toEqual([]);
  });

  it('ends signing when its name is typed, and says what is bogus until when', async () => {
    const [zone, alice] = await signed('ended');
    const { page } = alice;
    const old = await tagIn(zone, 'active');
    await serve(zone, old);
    const stop = page.getByRole('button', { name: 'Stop signing…' });
    await page.getByText('I know better: end signing').waitFor();
    expect(await stop.isVisible()).toBe(false);
    await page.getByText('I know better: end signing').click();
    await press(alice, 'Ask the parent to remove the DS…');
    await press(alice, 'Ask for the removal');
    await gone(alice, /^Ask the parent/);
    await says(alice, 'The parent is asked to remove the DS. Signing can end when it has.');
    const isEverywhere = page.getByText(/^Every server of the parent has the DS\./);
    await askUntil(alice, 'Ask now', isEverywhere);
    await press(alice, 'Keep the DS…');
    await press(alice, 'Keep the DS');
    await gone(alice, /^Keep/);
    expect((await statusOf(zone)).withdrawing).toBe(false);

    await askUntil(alice, 'Ask the parent now', isEverywhere);
    await stop.click();
    const dialog = dialogOf(alice, /^Stop signing/);
    await previews(dialog, dialog.getByRole('alert').getByText(/serves a DS for zone/));
    await dialog.getByText('Have the DS removed at the parent').waitFor();
    expect(await dialog.getByRole('button', { name: 'Stop signing', exact: true }).count()).toBe(0);
    await dialog.getByText('I know better').click();
    await dialog
      .getByText(/all of the zone bogus.*\(900 s\) is over, which is .* at the earliest/)
      .waitFor();
    await press(alice, 'Skip this check');
    await dialog.getByText('All keys, signatures and other DNSSEC records go.').waitFor();
    await press(alice, 'Stop signing');
    expect((await statusOf(zone)).enabled).toBe(true);
    await dialog.getByLabel(/to confirm/).fill(zone);
    await dialog.getByLabel('Reason').fill('it moves away');
    await press(alice, 'Stop signing');
    await gone(alice, /^Stop/);
    await page.getByRole('heading', { name: `${zone} is not signed` }).waitFor();
    await page.getByText(/resolvers may hold its DS until/).waitFor();
    const [event] = (await local('GET', `/events?zone=${zone}&limit=1`)).items;
    expect(event).toMatchObject({ reason: 'it moves away', actor: { name: 'alice' } });
    expect(alice.complaints).toEqual([]);
  });

  it('asks the parent before a deleted zone comes back, from the bin and by undoing its end', async () => {
    const [zone, alice] = await signed('binned');
    const { page } = alice;
    const [tag] = (await statusOf(zone)).ds_records.map((ds: { key_tag: number }) => ds.key_tag);
    await serve(zone, tag);
    await local('DELETE', `/zones/${zone}`);
    /** Opens a dialog until it says this of the parent, which may answer too late where it is asked once. */
    const opens = (dialog: Locator, open: () => Promise<void>, text: string) =>
      expect
        .poll(async () => {
          const answered = page.waitForResponse(/\/delegation\?/);
          await open();
          await answered;
          await expect.poll(() => dialog.getByText('Asking the parent…').count()).toBe(0);
          return dialog.getByText(text).count();
        })
        .toBe(1);
    const restore = async () => {
      await alice.open('/bin');
      await page.getByRole('button', { name: `Restore ${zone}` }).click();
    };
    const look = async (text: string) => {
      await opens(dialogOf(alice, /^Restore zone binned/), restore, text);
      await press(alice, 'Cancel');
    };
    await look(`The parent has the name, with a DS that fits: key ${tag}.`);
    const strange = dsOf.get(tag)!.replace(/^\d+/, String((tag + 1) % 65_536));
    await parent.setDs(zone, [strange]);
    await look('but it names none of its keys: validators will find the zone bogus.');
    await parent.setDs(zone, []);
    await look('The parent has the name, without a DS.');

    const undoing = dialogOf(alice, /^Undo/);
    const undo = async () => {
      await alice.open('/changes');
      const ended = page.getByRole('article').filter({ hasText: zone }).first();
      await ended.getByRole('button', { name: /^Undo/ }).click();
    };
    await opens(undoing, undo, 'The parent has the name, without a DS.');
    await undoing.getByText('Its name is free.').waitFor();
    await undoing.getByText(`signed again with key ${tag}`).waitFor();
    await press(alice, 'Undo it');
    await undoing.waitFor({ state: 'detached' });
    expect((await local('GET', `/zones/${zone}`)).zone.name).toBe(zone);

    const both = { parent_ns_addrs: [`127.0.0.1:${parent.port}`, '127.0.0.1:1'] };
    await local('PUT', `/zones/${zone}/dnssec`, both);
    await local('DELETE', `/zones/${zone}`);
    await look('The parent has the name, without a DS. These did not answer: 127.0.0.1:1.');
    expect(alice.complaints).toEqual([]);
  });

  it('draws no control for who may only read, and none at an earlier moment', async () => {
    const grant = { actions: ['zone:read', 'record:read', 'dnssec:read'] };
    const reader = await tokenOf(service, 'reader', [grant]);
    const [zone, bob] = await signed('read', reader);
    const { page } = bob;
    await page.getByRole('row', { name: /CSK ecdsap256sha256 active/ }).waitFor();
    const manage = page.getByRole('button', { name: /^(Roll|Promote|Abort|Make all|Stop)/ });
    expect(await manage.count()).toBe(0);
    expect(await page.getByText('I know better').count()).toBe(0);
    await page.getByRole('button', { name: 'Ask the parent now' }).waitFor();
    const alice = await browser.person();
    const path = `/zones/${zone}/dnssec`;
    await alice.logIn(token, path);
    await alice.page.getByRole('button', { name: 'Roll the CSK…' }).waitFor();
    await alice.open(`${path}?at=${clock.now.toISOString()}`);
    await alice.page.getByText('Keys and signatures are those of now.').waitFor();
    expect(await alice.page.getByRole('button', { name: /^(Roll|Make all|Ask now)/ }).count()).toBe(
      0,
    );
    expect(await alice.page.getByText('I know better').count()).toBe(0);
  });
});
