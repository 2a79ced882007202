/** References that are addresses of pages. */
const pageAddress = /^https?:\/\/[!-~]+$/i;

/** The address of a page, where a text is nothing else; names beyond ASCII, which may look like others, are none. */
export function webAddress(text: string): string | undefined {
  if (!pageAddress.test(text) || !URL.canParse(text)) return undefined;
  const { href, username, password } = new URL(text);
  return username === '' && password === '' ? href : undefined;
}
