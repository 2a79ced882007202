import { expect, it } from 'vitest';
import { Hono } from 'hono';
import type { App } from './app.ts';
import { ConsolePages } from './console.ts';
import { responseOf } from './answer.ts';

const files = { 'console-1.js': Buffer.from('1;'), 'console-1.css': Buffer.from('a {}') };
const pages = new ConsolePages('/console', async () => ({ page: '<p>{base}</p>', files }));
const app: App = new Hono();
app.get('/console/*', async (context) => responseOf(await pages.answer(context), 'id', () => {}));

it.each(['gzip', 'br', ''])('serves its files, coded as %j', async (encoding) => {
  const headers = { 'Accept-Encoding': encoding };
  const answer = await app.request('/console/console-1.js', { headers });
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(answer.headers.get('content-encoding') ?? '').toBe(encoding);
});

it.each(['constructor', '__proto__', 'toString', 'valueOf', 'zones/1'])(
  'serves its page for %s, which is no file',
  async (name) => {
    for (const encoding of ['gzip', '']) {
      const headers = { 'Accept-Encoding': encoding };
      const answer = await app.request(`/console/${name}`, { headers });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe('<p>/console</p>');
    }
  },
);
