import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyName,
  isNameKey,
  isWildcard,
  isWithin,
  joinNames,
  keyFromBytes,
  keyFromLabels,
  keyFromWire,
  keyToBytes,
  labelCount,
  labelsOf,
  labelsToWire,
  type NameKey,
  nameBytes,
  nameToWire,
  parentOf,
  parseAbsoluteName,
  printAbsoluteName,
  printLabels,
  printRelativeName,
  relativeTo,
  splitNameText,
  wildcardBelow,
} from './name.ts';

/** Bytes that make trouble: those the key escapes, their neighbours, dots, backslashes, capitals. */
const byte = fc.oneof(
  fc.constantFrom('\0', '\x01', '\x02', '\xff', '.', '\\', '*', '"', ' ', '@', 'A', 'Z', 'a', '0'),
  fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
);
const label = fc
  .oneof(
    { weight: 4, arbitrary: fc.array(byte, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(byte, { minLength: 62, maxLength: 63 }) },
  )
  .map((bytes) => bytes.join(''));
const labels = fc.array(label, { maxLength: 5 }).filter((some) => wireBytes(some) <= 255);
const name = labels.map(keyFromLabels);

function wireBytes(some: readonly string[]): number {
  return some.reduce((sum, each) => sum + each.length + 1, 1);
}

function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** RFC 4034 6.1 in its own words: labels from the right, byte by byte, the shorter first. */
function compareCanonically(a: readonly string[], b: readonly string[]): number {
  for (let step = 1; step <= Math.min(a.length, b.length); step++) {
    const left = Buffer.from(lower(a[a.length - step]!), 'latin1');
    const right = Buffer.from(lower(b[b.length - step]!), 'latin1');
    const difference = Buffer.compare(left, right);
    if (difference !== 0) return difference;
  }
  return Math.sign(a.length - b.length);
}

describe('keys of names', () => {
  it('tells keys from other texts', () => {
    fc.assert(fc.property(name, (key) => isNameKey(key)));
    const others = ['\0', 'a', 'a\0\0', '\0a\0', 'A\0', '\x01\0', 'a\x01\x03\0', '\u0100\0'];
    for (const text of [...others, `${'a'.repeat(64)}\0`, 'a\0'.repeat(128)]) {
      expect(isNameKey(text), JSON.stringify(text)).toBe(false);
    }
  });

  it('RFC 4034 6.1: sort as the example of the RFC does', () => {
    const sorted = [
      'example',
      'a.example',
      'yljkjljk.a.example',
      'Z.a.example',
      'zABC.a.EXAMPLE',
      'z.example',
      '\\001.z.example',
      '*.z.example',
      '\\200.z.example',
    ];
    const keys = sorted.map(parseAbsoluteName);
    for (const shuffled of [keys.toReversed(), keys.toSpliced(0, 3).concat(keys.slice(0, 3))]) {
      expect(shuffled.toSorted()).toEqual(keys);
      expect(shuffled.map(keyToBytes).sort(Buffer.compare).map(keyFromBytes)).toEqual(keys);
    }
  });

  it('RFC 4034 6.1: sort canonically whatever the bytes are, as strings and as blobs', () => {
    fc.assert(
      fc.property(labels, labels, (a, b) => {
        const [left, right] = [keyFromLabels(a), keyFromLabels(b)];
        const expected = Math.sign(compareCanonically(a, b));
        expect(left < right ? -1 : left > right ? 1 : 0).toBe(expected);
        expect(Buffer.compare(keyToBytes(left), keyToBytes(right))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('give back their labels, lower-case, through labels, wire, text and blob', () => {
    fc.assert(
      fc.property(labels, (some) => {
        const key = keyFromLabels(some);
        expect(labelsOf(key)).toEqual(some.map(lower));
        expect(labelCount(key)).toBe(some.length);
        expect(keyFromWire(nameToWire(key))).toBe(key);
        expect(keyFromWire(labelsToWire(key))).toBe(key);
        expect(keyFromBytes(keyToBytes(key))).toBe(key);
        expect(parseAbsoluteName(printAbsoluteName(key))).toBe(key);
        if (key !== '') expect(parseAbsoluteName(printLabels(key))).toBe(key);
      }),
      { numRuns: 500 },
    );
  });

  it('count bytes as the wire has them, escapes not counted', () => {
    fc.assert(
      fc.property(labels, (some) => {
        const key = keyFromLabels(some);
        expect(nameBytes(key)).toBe(wireBytes(some));
        expect(nameToWire(key).length).toBe(wireBytes(some));
      }),
    );
  });

  it('RFC 4343: lower-case A to Z and no other byte', () => {
    expect(labelsOf(keyFromLabels(['ABC\xc0\xd6[`{@']))).toEqual(['abc\xc0\xd6[`{@']);
  });

  it('have parents that are prefixes, and only whole labels count', () => {
    fc.assert(
      fc.property(name, name, (relative, origin) => {
        fc.pre(nameBytes(relative) + nameBytes(origin) - 1 <= 255);
        const whole = joinNames(relative, origin);
        expect(isWithin(whole, origin)).toBe(true);
        expect(relativeTo(whole, origin)).toBe(relative);
        expect(labelsOf(whole)).toEqual([...labelsOf(relative), ...labelsOf(origin)]);
        const parent = parentOf(whole);
        if (whole === '') expect(parent).toBeUndefined();
        else expect(labelsOf(parent!)).toEqual(labelsOf(whole).slice(1));
      }),
    );
    const origin = parseAbsoluteName('example.com');
    expect(isWithin(parseAbsoluteName('badexample.com'), origin)).toBe(false);
    expect(relativeTo(parseAbsoluteName('xample.com'), origin)).toBeUndefined();
    expect(isWithin(parseAbsoluteName('com'), origin)).toBe(false);
    expect(isWithin(parseAbsoluteName('example\\000.com'), origin)).toBe(false);
    expect(isWithin(parseAbsoluteName('example\\001.com'), origin)).toBe(false);
  });

  it('RFC 4592 2.1.1: are wildcards only when the whole first label is one asterisk', () => {
    for (const text of ['*', '*.a', '\\042.example']) {
      expect(isWildcard(parseAbsoluteName(text))).toBe(true);
    }
    for (const text of ['a.*', '**', '*a.b', 'a*.b', '\\000*.b', '*\\000.b', '\\*\\*.b']) {
      expect(isWildcard(parseAbsoluteName(text))).toBe(false);
    }
    expect(isWildcard(emptyName)).toBe(false);
    expect(wildcardBelow(parseAbsoluteName('a.b'))).toBe(parseAbsoluteName('*.a.b'));
  });
});

describe('RFC 1035 2.3.4: limits, on the name and not on how it is written', () => {
  const long = 'a'.repeat(63);
  /** 4 labels of 61 to 63 bytes: 255 bytes with lengths and root. */
  const greatest = [long, long, long, 'a'.repeat(61)];

  it('take a label of 63 bytes and refuse one of 64', () => {
    expect(labelsOf(parseAbsoluteName(long))).toEqual([long]);
    expect(() => parseAbsoluteName(`${long}a`)).toThrow(/label of 64 bytes/);
    // Written with escapes, 63 bytes are 252 characters.
    expect(labelsOf(parseAbsoluteName('\\255'.repeat(63)))).toEqual(['\xff'.repeat(63)]);
    expect(() => parseAbsoluteName('\\255'.repeat(64))).toThrow(/label of 64 bytes/);
    expect(labelsOf(parseAbsoluteName('\\.'.repeat(63)))).toEqual(['.'.repeat(63)]);
    // The key writes the bytes 0 and 1 as two: they count once all the same.
    expect(nameBytes(parseAbsoluteName('\\000\\001'.repeat(31)))).toBe(64);
  });

  it('take 255 bytes and refuse 256', () => {
    expect(nameBytes(keyFromLabels(greatest))).toBe(255);
    expect(() => keyFromLabels([...greatest.slice(0, 3), 'a'.repeat(62)])).toThrow(/256 bytes/);
    expect(() => keyFromLabels(['a', ...greatest])).toThrow(/257 bytes/);
    const escaped = greatest.map((each) => '\\000'.repeat(each.length)).join('.');
    expect(nameBytes(parseAbsoluteName(escaped))).toBe(255);
    expect(nameBytes(keyFromLabels(Array(127).fill('a')))).toBe(255);
    expect(() => keyFromLabels(Array(128).fill('a'))).toThrow(/257 bytes/);
  });

  it('hold for a relative name below its origin', () => {
    const origin = keyFromLabels(greatest.slice(1));
    expect(nameBytes(joinNames(keyFromLabels([long]), origin))).toBe(255);
    expect(() => joinNames(keyFromLabels(['a', long]), origin)).toThrow(/257 bytes/);
    expect(nameBytes(joinNames(keyFromLabels(['\0'.repeat(63)]), origin))).toBe(255);
  });

  it('refuse empty labels', () => {
    for (const text of ['', 'a..b', '.a', '..', 'a..', '\\001..b']) {
      expect([text, tryParse(text)]).toEqual([text, 'refused']);
    }
  });
});

function tryParse(text: string): NameKey | 'refused' {
  try {
    return parseAbsoluteName(text);
  } catch (error) {
    expect((error as Error).name).toBe('NameError');
    return 'refused';
  }
}

describe('RFC 1035 5.1: names in text', () => {
  it('are split at dots that are not escaped', () => {
    expect(splitNameText('a.b.')).toEqual({ labels: ['a', 'b'], absolute: true });
    expect(splitNameText('a.b')).toEqual({ labels: ['a', 'b'], absolute: false });
    expect(splitNameText('.')).toEqual({ labels: [], absolute: true });
    expect(splitNameText('a\\.b')).toEqual({ labels: ['a.b'], absolute: false });
    expect(splitNameText('a\\046b.')).toEqual({ labels: ['a.b'], absolute: true });
    expect(splitNameText('a\\.')).toEqual({ labels: ['a.'], absolute: false });
    expect(splitNameText('a\\\\.')).toEqual({ labels: ['a\\'], absolute: true });
  });

  it('have escapes of any byte, and others are refused', () => {
    expect(splitNameText('\\000\\255\\a\\"')).toEqual({ labels: ['\0\xffa"'], absolute: false });
    expect(splitNameText('a\\ b').labels).toEqual(['a b']);
    for (const text of ['www ', ' www', 'a b', 'a\tb', 'a\0', 'a\\\\ b', '\x7f']) {
      expect(() => splitNameText(text)).toThrow('a blank or a control character');
    }
    expect(splitNameText('\\0657').labels).toEqual(['A7']);
    for (const text of ['\\256', '\\999', '\\1', '\\12', '\\12x', 'a\\', 'a.b\\']) {
      expect([text, tryParse(text)]).toEqual([text, 'refused']);
    }
  });

  it('RFC 5890 2.3.2.1: refuse characters beyond ASCII, and name the A-labels to write', () => {
    const rule = 'has characters beyond ASCII';
    expect(() => splitNameText('ü.x')).toThrow(`${rule}; write it as 'xn--tda.x'`);
    expect(() => parseAbsoluteName('*.Bücher.')).toThrow(`${rule}; write it as '*.xn--bcher-kva.'`);
    expect(() => splitNameText('_ü')).toThrow(`${rule}; bytes above 127 are written \\DDD`);
    expect(printLabels(parseAbsoluteName('\\195\\188.x'))).toBe('\\195\\188.x');
  });

  it('print with escapes where a master file needs them', () => {
    const key = keyFromLabels(['a.b', ' "();@$\\', '\0\x7f\xff', '*', '_a-b/c']);
    const text = 'a\\.b.\\032\\"\\(\\)\\;\\@\\$\\\\.\\000\\127\\255.*._a-b/c';
    expect(printLabels(key)).toBe(text);
    expect(printAbsoluteName(key)).toBe(`${text}.`);
    expect(printAbsoluteName(emptyName)).toBe('.');
    expect(printRelativeName(emptyName)).toBe('@');
    expect(printRelativeName(key)).toBe(text);
  });
});

describe('RFC 1035 3.1: names on the wire', () => {
  it('are lengths and labels, closed by the root', () => {
    const wire = Buffer.from('\x03www\x07example\x00', 'latin1');
    expect(nameToWire(parseAbsoluteName('WWW.example.'))).toEqual(wire);
    expect(keyFromWire(wire)).toBe(parseAbsoluteName('www.example'));
    expect(keyFromWire(Buffer.concat([Buffer.from('xx'), wire, wire]), 2)).toBe(keyFromWire(wire));
    expect(nameToWire(emptyName)).toEqual(Buffer.of(0));
  });

  it('are refused when a label is too long or cut off', () => {
    expect(() => keyFromWire(Buffer.from([3, 97, 97]))).toThrow(/ends inside a label/);
    expect(() => keyFromWire(Buffer.from([64, ...Array(64).fill(97), 0]))).toThrow(/too long/);
    expect(() => keyFromWire(Buffer.from([0xc0, 12]))).toThrow(/too long/);
    const label63 = [63, ...Array(63).fill(97)];
    const bytes = [...label63, ...label63, ...label63, ...label63, 0];
    expect(() => keyFromWire(Buffer.from(bytes))).toThrow(/more than 255 bytes/);
  });
});
