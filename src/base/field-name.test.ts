import { expect, it } from 'vitest';
import { camelCase, snakeCase } from './field-name.ts';

it.each([
  ['name', 'name'],
  ['default_ttl', 'defaultTtl'],
  ['parent_ns_addrs', 'parentNsAddrs'],
])('%s of JSON is %s of the program', (snake, camel) => {
  expect(camelCase(snake)).toBe(camel);
  expect(snakeCase(camel)).toBe(snake);
});
