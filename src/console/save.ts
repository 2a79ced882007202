/** Files that the browser saves, made piece by piece. */

/** Characters that are collected before the browser takes them, which keeps them outside of the memory of the page. */
const pieceCharacters = 1_000_000;

/** How long the browser may take to begin with the file. */
const beginMs = 60_000;

/** Saves nothing when `texts` throws. */
export async function save(
  name: string,
  mediaType: string,
  texts: AsyncIterable<string>,
): Promise<void> {
  const pieces: Blob[] = [];
  let text = '';
  for await (const each of texts) {
    text += each;
    if (text.length < pieceCharacters) continue;
    pieces.push(new Blob([text]));
    text = '';
  }
  const url = URL.createObjectURL(new Blob([...pieces, text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), beginMs);
}
