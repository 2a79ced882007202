/** The console at a path of its own: everything that knows where it is goes by the configuration. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ConsoleBrowser } from '../support/browser.ts';
import { run } from '../support/command-line.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

/** The beginning of /zones. */
const path = '/z';

needsPeers('chromium')('the console at another path', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let base: string;
  beforeAll(async () => {
    const env = { ZONEBOOK_API_CONSOLE_PATH: path, ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' };
    service = await startService(env);
    browser = await ConsoleBrowser.launch(service.apiPort);
    base = `http://127.0.0.1:${service.apiPort}`;
    const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };
    await callLocally(service, 'POST', '/zones', { name: 'there.example', ...soa });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  async function addressOf(...words: string[]): Promise<string> {
    const env = { ZONEBOOK_API_LISTEN_PORT: String(service.apiPort) };
    const { code, out } = await run(['console', '-o', 'json', ...words], {
      env,
      dataDir: service.dataDir,
    });
    expect(code).toBe(0);
    return JSON.parse(out).url;
  }

  it('is where the command and the redirect at / say', async () => {
    const wanted = new RegExp(`^${base}${path}#login=[\\w-]+$`);
    expect(await addressOf()).toMatch(wanted);
    const token = await tokenOf(service, 'remote');
    expect(await addressOf('--url', base, '--token', token)).toMatch(wanted);
    const headers = { accept: 'text/html' };
    const first = await fetch(`${base}/`, { headers, redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([302, path]);
    for (const other of ['/console', '/console/zones', `${path}x`]) {
      expect((await fetch(`${base}${other}`, { headers })).status).toBe(404);
    }
    expect((await fetch(`${base}/zones`, { headers })).status).toBe(401);
  });

  it('has its screens, links and files there', async () => {
    const alice = await browser.person();
    const { page } = alice;
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    await page.goto(await addressOf());
    await page.getByRole('link', { name: 'there.example' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/z\/zones\/there\.example/);
    await page.getByRole('link', { name: 'Access' }).click();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${path}/access`);
    await page.reload();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'there.example' }).waitFor();
    await page.getByRole('link', { name: 'Health' }).click();
    await page.getByText('What is new in this version').click();
    await page.getByRole('region', { name: 'What is new' }).getByRole('listitem').first().waitFor();
    expect(asked.filter((each) => each.startsWith('/console'))).toEqual([]);
    expect(alice.complaints).toEqual([]);
  });

  it('is nowhere where it is off, and the command says so', async () => {
    await using own = await startService({ ZONEBOOK_API_CONSOLE: 'off' });
    const { code, err } = await run(['console', '--url', `http://127.0.0.1:${own.apiPort}`]);
    expect([code, err]).toEqual([2, expect.stringContaining('does not serve the console')]);
  });
});
