/** UTS 46 without transitional processing, label by label (RFC 5890, RFC 5891). */
import { describe, expect, it } from 'vitest';
import { toAsciiName } from './idn.ts';

describe('RFC 5891 4.4: names with characters beyond ASCII', () => {
  it.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.Example', 'xn--bcher-kva.Example'],
    ['bu\u0308cher', 'xn--bcher-kva'],
    ['faß.de', 'xn--fa-hia.de'],
    ['βόλος.com.', 'xn--nxasmm1c.com.'],
    ['日本語。ＪＰ', 'xn--wgv71a119e.jp'],
    ['ｗｗｗ.example', 'www.example'],
    ['１２３', '123'],
    ['إختبار', 'xn--kgbechtv'],
    // What stands beside is no host name and stays as it is.
    ['_dmarc.bücher', '_dmarc.xn--bcher-kva'],
    ['*.bücher.', '*.xn--bcher-kva.'],
    ['a\\.b.\\195\\188.ü', 'a\\.b.\\195\\188.xn--tda'],
    ['@', '@'],
    ['a b\\', 'a b\\'],
    ['', ''],
  ])('%j is %j', (text, ascii) => {
    expect(toAsciiName(text)).toBe(ascii);
  });

  it.each([
    '_bücher',
    'bü@cher',
    'ü*',
    'ü%41',
    'ü b',
    'ü\\.x',
    '\\ü',
    '-ü',
    'ü-',
    'ab--ü',
    'xn--ü',
    '＿x',
    'x／y',
    '\u00ad',
    '\u0301x',
    'a\u200db',
    '\ud800x',
    '1\u05d0',
    'ü'.repeat(60),
    'ü.'.repeat(300),
  ])('%j is none', (text) => {
    expect(toAsciiName(text)).toBeUndefined();
  });

  it('writes labels of 63 bytes', () => {
    expect(toAsciiName('ü'.repeat(50))).toMatch(/^xn--tda+$/);
    expect(toAsciiName('ü'.repeat(57))?.length).toBe(63);
  });
});
