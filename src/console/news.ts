/** The text of a changelog in parts: headings, paragraphs and lists; nothing in it becomes markup. */

export interface Block {
  /** The element that it is. */
  readonly kind: 'h3' | 'ul' | 'p';
  /** One of a heading or a paragraph, each item of a list. */
  readonly lines: readonly string[];
}

export function blocksOf(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const [, mark = '', rest = ''] = /^(#+ |- )? *(.*)$/.exec(line)!;
    const last = isOpen ? blocks.at(-1) : undefined;
    if (rest === '') isOpen = false;
    else if (mark.startsWith('#')) {
      blocks.push({ kind: 'h3', lines: [rest] });
      isOpen = false;
    } else if (mark !== '') {
      if (last?.kind === 'ul') last.lines.push(rest);
      else blocks.push({ kind: 'ul', lines: [rest] });
      isOpen = true;
    } else if (last === undefined) {
      blocks.push({ kind: 'p', lines: [rest] });
      isOpen = true;
    } else last.lines.push(`${last.lines.pop()} ${rest}`);
  }
  return blocks;
}

/** The text of a line, without the marks of code, and of links their text alone. */
export function textOf(line: string): string {
  return line.replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, '$1');
}
