import { describe, expect, it } from 'vitest';
import { blocksOf } from './news.ts';

describe('a changelog', () => {
  it('has headings, paragraphs and lists', () => {
    const text = `## 1.2.0, of today

The first line,
and its second.

- one \`code\`
- two,
  over two lines
### Below
# of itself
- three

- four
`;
    expect(blocksOf(text)).toEqual([
      { kind: 'h3', lines: ['1.2.0, of today'] },
      { kind: 'p', lines: ['The first line, and its second.'] },
      { kind: 'ul', lines: ['one `code`', 'two, over two lines'] },
      { kind: 'h3', lines: ['Below'] },
      { kind: 'h3', lines: ['of itself'] },
      { kind: 'ul', lines: ['three'] },
      { kind: 'ul', lines: ['four'] },
    ]);
  });

  it('of nothing has none', () => {
    expect(blocksOf('')).toEqual([]);
    expect(blocksOf('\n\n')).toEqual([]);
  });
});
