import { expect, it } from 'vitest';
import { relativeName } from './owner-name.ts';

it('names each owner so that the service takes the name as it is meant', () => {
  for (const [name, asked] of [
    ['example.com.', '@'],
    ['www.example.com.', 'www'],
    ['notexample.com.example.com.', 'notexample.com'],
    // Taken as absolute, these would be the apex and www.
    ['example.com.example.com.', 'example.com.example.com.'],
    ['www.example.com.example.com.', 'www.example.com.example.com.'],
    ['www.example.net.', 'www.example.net.'],
  ] as const) {
    expect(relativeName(name, 'example.com')).toBe(asked);
  }
});
