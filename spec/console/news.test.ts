/** What is new in the version that runs, in the console: asked for when it is opened, and text alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changesIn } from '../../src/http/console-files.ts';
import { beforeConsole, type ConsoleBrowser } from '../support/browser.ts';
import { needsPeers } from '../support/peers.ts';
import type { RunningService } from '../support/service.ts';
import { checkout } from '../support/test-titles.ts';

const file = /\/console\/changes-\w+\.txt$/;
const changelog =
  '# C\n\n## 1.10.0\n\n- ten\n\n## 1.1.0, not yet\n\n- one\n- two\n\n## 1.0.0\n\n- old\n';

it('the part of one version is taken from the changelog', () => {
  expect(changesIn(changelog, '1.1.0')).toBe('## 1.1.0, not yet\n\n- one\n- two\n\n');
  expect(changesIn(changelog, '1.10.0')).toBe('## 1.10.0\n\n- ten\n\n');
  expect(changesIn(changelog, '1.0.0')).toBe('## 1.0.0\n\n- old\n');
  expect(changesIn(changelog, '2.0.0')).toBe('');
});

needsPeers('chromium')('what is new in this version', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let token: string;
  beforeConsole((started) => {
    ({ service, browser, token } = started);
  });

  it('is read when it is opened, with headings and lists as such', async () => {
    const alice = await browser.person();
    const { page } = alice;
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    await alice.logIn(token, '/health');
    await page.getByText('The service is healthy.').waitFor();
    expect(asked.filter((url) => file.test(url))).toEqual([]);
    await page.getByText('What is new in this version').click();
    const news = page.getByRole('region', { name: 'What is new' });
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
    await news.getByRole('heading', { name: new RegExp(`^${version}`) }).waitFor();
    const text = changesIn(readFileSync(join(checkout, 'spec/CHANGELOG.md'), 'utf8'), version);
    const items = text.split('\n').filter((line) => line.startsWith('- ')).length;
    expect(await news.getByRole('listitem').count()).toBe(items);
    expect(await news.textContent()).not.toContain('`');
    expect(asked.filter((url) => file.test(url))).toHaveLength(1);
    expect(alice.complaints).toEqual([]);
  });

  it('never becomes markup', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await page.route(file, (route) =>
      route.fulfill({ contentType: 'text/plain', body: '- <img src=x onerror=alert(1)> \u202e' }),
    );
    await alice.logIn(token, '/health');
    await page.getByText('What is new in this version').click();
    const item = page.getByRole('region', { name: 'What is new' }).getByRole('listitem');
    await expect.poll(() => item.textContent()).toBe('<img src=x onerror=alert(1)> ⟨U+202E⟩');
    expect(alice.complaints).toEqual([]);
  });

  it('says to load the page again where another version runs by now', async () => {
    const alice = await browser.person();
    const { page } = alice;
    await page.route(file, async (route) => {
      const answer = await route.fetch({ url: `http://127.0.0.1:${service.apiPort}/console` });
      return route.fulfill({ response: answer });
    });
    await alice.logIn(token, '/health');
    await page.getByText('What is new in this version').click();
    await page.getByText('load the page again').waitFor();
  });

  it('is a file that browsers keep, compressed for those who take it', async () => {
    const base = `http://127.0.0.1:${service.apiPort}`;
    const html = await (await fetch(`${base}/console`)).text();
    const path = /href="(\/console\/changes-\w+\.txt)"/.exec(html)![1]!;
    for (const encoding of ['gzip', 'br', 'identity']) {
      const answer = await fetch(`${base}${path}`, { headers: { 'accept-encoding': encoding } });
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('cache-control')).toContain('immutable');
      const expected = encoding === 'identity' ? null : encoding;
      expect(answer.headers.get('content-encoding')).toBe(expected);
      expect(await answer.text()).toMatch(/^## \d/);
    }
  });
});
