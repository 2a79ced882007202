/** Screens of the console made ready for a picture: the same in every run, and all there. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person } from './browser.ts';

/** Answers with what differs from run to run put right: keys are random, and rooms on disks are what they are. */
export async function settle(page: Page): Promise<void> {
  const rewrite = (
    pattern: RegExp,
    ...pairs: readonly (readonly [RegExp, string, (() => boolean)?])[]
  ) =>
    page.route(pattern, async (route) => {
      const response = await route.fetch();
      let body = await response.text();
      for (const [found, put, isMeant = () => true] of pairs) {
        if (isMeant()) body = body.replace(found, put);
      }
      await route.fulfill({ response, body });
    });
  await rewrite(
    /\/metrics$/,
    [/^(zonebook_database_bytes) .*/m, '$1 1048576'],
    [/^(zonebook_wal_bytes) .*/m, '$1 524288'],
    [/^(zonebook_disk_free_bytes) .*/m, '$1 68719476736'],
    [/^(zonebook_journal_events_total) .*/m, '$1 17'],
    [/(build_info\{version=)"[^"]*"/, '$1"1.0.0"'],
  );
  await rewrite(/\/events\?/, [/"key_tags":\[[\d,]*\]/g, '"key_tags":[31415]']);
  // How many came in a day: every browser that logs in is one. Changes begins its list there.
  const onHealth = () => page.url().endsWith('/health');
  await rewrite(/\/events\?limit=1$/, [/"seq":\d+/, '"seq":15', onHealth]);
  await rewrite(/\/events\?limit=1&until/, [/"seq":\d+/, '"seq":3', onHealth]);
  await rewrite(
    /\/zones\/[^/]+\/dnssec$/,
    [/"key_tag":\d+/g, '"key_tag":31415'],
    [/"key_tags":\[[\d,]*\]/g, '"key_tags":[31415]'],
    [/"dnskey":"(\d+ 3 13) [^"]*"/g, `"dnskey":"$1 ${'mdsswUyr3DPW132m'.repeat(5)}"`],
    [/"digest":"\w+"/g, `"digest":"${'4F2A19C8'.repeat(8)}"`],
    [/"presentation":"\d+ 13 2 \w+/g, `"presentation":"31415 13 2 ${'4F2A19C8'.repeat(8)}`],
  );
}

/** Waits until all is there that a screen asks for, also aside. */
export async function isThere(person: Person): Promise<void> {
  const { page } = person;
  // A form asks for nothing before it is sent.
  await page.locator('main [aria-busy="false"], main form').first().waitFor();
  await person.atRest();
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
}
