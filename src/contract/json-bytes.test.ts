import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { refuseCrowdedJson, takeFile } from './json-bytes.ts';

/** Texts of JSON in many spellings of the same string. */
const spelled = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1)),
      fc.nat(0xffff).map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`),
      fc.constantFrom('\\/', '\\b', '\\f', '\\n', '\\r', '\\t', '\\"', '\\\\', '\\ud83d\\ude00'),
    ),
  )
  .map((parts) => parts.join(''));
const blank = fc.constantFrom('', ' ', '\n\t');
/** Values that hold what could be taken for the field. */
const others = fc.constantFrom(
  '1',
  '"content"',
  '"\\"content\\":\\"x\\""',
  '{"content":"inner"}',
  '["content",{"content":["content"]}]',
  'null',
);

describe('a file within a body', () => {
  it('is what the parser makes of it, and the rest is what is left', () => {
    fc.assert(
      fc.property(spelled, blank, others, others, (text, space, before, after) => {
        const written = `{"a":${before},${space}"content"${space}:${space}"${text}"${space},"z":${after}}`;
        const { content, ...rest } = JSON.parse(written);
        const found = takeFile(Buffer.from(written), 'content')!;
        expect(Buffer.from(found.file).equals(Buffer.from(content))).toBe(true);
        expect(JSON.parse(found.rest)).toEqual({ ...rest, content: '' });
      }),
      { numRuns: 500 },
    );
  });

  it('is left to the parser where it is no text, missing, or said twice', () => {
    for (const text of [
      '{"content":null}',
      '{"content":["x"]}',
      '{"other":"content"}',
      '{"content":"a","content":"b"}',
      '["content","x"]',
      '{"x":{"content":"a"}}',
      '{"content":"a',
      '{"content"',
      '',
    ]) {
      const bytes = Buffer.from(text);
      expect([text, takeFile(bytes, 'content')]).toEqual([text, undefined]);
      expect(bytes.toString()).toBe(text);
    }
  });

  it('is refused where the parser would refuse it', () => {
    for (const text of ['a\nb', '\\x', '\\u12', '\\u12g4', '\u0000', '\\']) {
      const bytes = Buffer.from(`{"content":"${text}"}`);
      expect(() => JSON.parse(bytes.toString())).toThrow(SyntaxError);
      // One that has no end is not found.
      if (text === '\\') expect(takeFile(bytes, 'content')).toBeUndefined();
      else expect(() => takeFile(bytes, 'content')).toThrow(Problem);
    }
  });
});

describe('crowded JSON', () => {
  const accepts = (text: string) =>
    expect(() => refuseCrowdedJson(Buffer.from(text))).not.toThrow();
  const refuses = (text: string) =>
    expect(() => refuseCrowdedJson(Buffer.from(text))).toThrow(/request body: more than/);

  it('is too deep, or too many', () => {
    const { bodyDepth, bodyContainers } = limits;
    accepts('['.repeat(bodyDepth));
    refuses('['.repeat(bodyDepth + 1));
    refuses('{"a":'.repeat(bodyDepth + 1));
    accepts(`[${'{},'.repeat(bodyContainers - 1)}`);
    refuses(`[${'[],'.repeat(bodyContainers)}`);
  });

  it('is not what stands in texts', () => {
    accepts(`"${'['.repeat(limits.bodyDepth + 1)}"`);
    accepts(`"\\"${'['.repeat(limits.bodyDepth + 1)}\\\\\\""`);
    refuses(`"\\\\"${'['.repeat(limits.bodyDepth + 1)}`);
    accepts('"[[[');
  });
});
