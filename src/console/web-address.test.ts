import { expect, it } from 'vitest';
import { webAddress } from './web-address.ts';

it('is that of a page over http or https, and of nothing else', () => {
  for (const text of ['https://tickets.example/OPS-7?q=1#a', 'http://192.0.2.1:8080/7']) {
    expect(webAddress(text)).toBe(text);
  }
  for (const text of [
    'OPS-7',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    ' https://tickets.example/',
    'see https://tickets.example/',
    'https://tickets.example/ and more',
    'https://tickets.example/\u202Egpj',
    'https://tіckets.example/',
    'https://bank.example@tickets.example/',
    '//tickets.example/',
    'https://',
    'https://[',
  ]) {
    expect({ text, address: webAddress(text) }).toEqual({ text, address: undefined });
  }
});
