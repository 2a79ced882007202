/** Files that were dropped, those in folders among them. */

/** Files that one drop may bring. */
const maxFiles = 100_000;

export async function filesOf(transfer: DataTransfer): Promise<readonly File[]> {
  // What was dropped can only be looked at before the first wait.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry());
  const found: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, found);
  return found.length > 0 ? found : [...transfer.files];
}

async function collect(entry: FileSystemEntry, found: File[]): Promise<void> {
  if (found.length >= maxFiles || entry.name.startsWith('.')) return;
  if (entry.isFile) {
    const { promise, resolve, reject } = Promise.withResolvers<File>();
    (entry as FileSystemFileEntry).file(resolve, reject);
    found.push(await promise);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  while (true) {
    const { promise, resolve, reject } = Promise.withResolvers<FileSystemEntry[]>();
    reader.readEntries(resolve, reject);
    const inside = await promise;
    // It gives some at a time, and in the end none.
    if (inside.length === 0) return;
    for (const each of inside) await collect(each, found);
  }
}
