/** Ways to call the HTTP door in tests that have only its app. */
import { expect } from 'vitest';
import type { App } from '../../src/http/app.ts';

export const jsonType = { 'content-type': 'application/json' };

export function send(app: App, method: string, path: string, body?: unknown, headers = {}) {
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
    init.headers = { ...jsonType, ...headers };
  }
  return app.request(path, init);
}

export async function expectProblem(response: Response, status: number, code: string, says = '') {
  const text = await response.text();
  expect({ status: response.status, text }).toMatchObject({ status });
  const body = JSON.parse(text);
  const { errors = [], ...rest } = body;
  expect(Object.keys(rest).sort()).toEqual(['code', 'error']);
  for (const each of errors) expect(each).toMatchObject({ pointer: expect.any(String), code });
  expect(body.code).toBe(code);
  expect(body.error).toContain(says);
}

export const record = { zone_name: 'example.com', name: 'www', type: 'A', value: '192.0.2.1' };
