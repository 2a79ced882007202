import { expect, it } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { createApp } from './app.ts';

const app = createApp(fakeServices());
const page = await (await app.request('/docs')).text();

it('lets a browser load scripts, styles and answers from this service and nowhere else', async () => {
  const { headers } = await app.request('/docs');
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  for (const source of policy.split(/[ ;]+/).filter((word) => !word.endsWith('-src'))) {
    if (['base-uri', 'form-action', 'frame-ancestors'].includes(source)) continue;
    expect(["'none'", "'self'", 'data:']).toContain(source);
  }
  // Nothing inline, which that policy would refuse.
  expect(page).not.toMatch(/<style|style=|<script>|onload=/);
});

it('is made of files that are there, by relative links', async () => {
  const links = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!);
  expect(links).toHaveLength(4);
  for (const link of links) {
    expect(link).toMatch(/^docs\/[\w.-]+$/);
    const response = await app.request(`/${link}`);
    expect([link, response.status]).toEqual([link, 200]);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
});

it('starts on the document of this service, without asking a foreign validator', async () => {
  const script = await (await app.request('/docs/start.js')).text();
  expect(script).toContain("url: 'openapi.json'");
  expect(script).toContain('validatorUrl: null');
  expect(script + page).not.toMatch(/https?:/);
  expect((await app.request('/openapi.json')).status).toBe(200);
});

it.each(['nothing.js', '..%2f..%2fpackage.json', 'package.json', 'index.html', '__proto__'])(
  'has no file %s',
  async (name) => {
    const response = await app.request(`/docs/${name}`);
    expect([name, response.status]).toEqual([name, 404]);
    expect(await response.text()).toContain('ENDPOINT_NOT_FOUND');
  },
);

it('is off with the specification', async () => {
  const services = fakeServices();
  const off = createApp({ ...services, options: { ...services.options, openapiEnabled: false } });
  for (const path of ['/docs', '/docs/start.js', '/openapi.json', '/openapi.yaml']) {
    expect([path, (await off.request(path)).status]).toEqual([path, 404]);
  }
});
