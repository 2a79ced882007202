/** Lists as files: what a spreadsheet and a program read in them. */
import { expect, it } from 'vitest';
import { cellText, listFile, type ListForm } from './list-file.ts';

interface Named {
  readonly name: string;
  readonly count: number | null;
}

async function textOf(form: ListForm, pages: readonly (readonly Named[])[]) {
  const reports: string[] = [];
  const list = {
    columns: [
      { name: 'name', of: ({ name }: Named) => name },
      { name: 'count', of: ({ count }: Named) => count },
    ],
    pages: (async function* () {
      yield* pages;
    })(),
    noun: 'zone',
  };
  const texts: string[] = [];
  for await (const text of listFile(form, list, { report: (said) => reports.push(said) })) {
    texts.push(text);
  }
  return { text: texts.join(''), texts, reports };
}

it('writes RFC 4180: a header, quotes that are doubled, lines that end with CRLF', async () => {
  const { text } = await textOf('csv', [[{ name: 'a, "b"\r\nc', count: 3 }]]);
  expect(text).toBe('"name","count"\r\n"a, ""b""\r\nc","3"\r\n');
});

it('makes no formula of a text, whatever it begins with', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝']) {
    expect(cellText(`${start}1+1`)).toBe(`"'${start}1+1"`);
  }
  expect(cellText('1-1')).toBe('"1-1"');
  expect(cellText(-1)).toBe('"-1"');
  expect(cellText(null)).toBe('""');
});

it('writes a JSON text a line, page by page, and says how far it is', async () => {
  const pages = [[{ name: 'a\n', count: null }], [], [{ name: 'b', count: 1 }]];
  const { texts, reports } = await textOf('ndjson', pages);
  expect(texts).toEqual(['{"name":"a\\n","count":null}\n', '', '{"name":"b","count":1}\n']);
  expect(reports).toEqual(['1 zone so far', '1 zone so far', '2 zones so far', 'Saved: 2 zones.']);
});

it('has the header alone where nothing is in the list', async () => {
  expect((await textOf('csv', [])).text).toBe('"name","count"\r\n');
  expect((await textOf('ndjson', [])).text).toBe('');
});
