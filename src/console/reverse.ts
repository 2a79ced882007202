/** Names of addresses in the reverse tree: 192.0.2.1 has 1.2.0.192.in-addr.arpa. */

/** The name of an address, without a dot at its end; undefined for what is no whole address. */
export function reverseName(type: string, address: string): string | undefined {
  if (type === 'A') {
    const bytes = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1);
    const isWhole = bytes?.every((byte) => Number(byte) < 256);
    return isWhole ? `${bytes!.map(Number).reverse().join('.')}.in-addr.arpa` : undefined;
  }
  const digits = type === 'AAAA' ? hexDigits(address) : undefined;
  return digits && `${[...digits].reverse().join('.')}.ip6.arpa`;
}

/** All 32 digits of an IPv6 address, as the browser reads it. */
function hexDigits(address: string): string | undefined {
  const url = /^[\da-f:.]+$/i.test(address) ? URL.parse(`http://[${address}]/`) : null;
  if (url === null) return undefined;
  const [first = '', rest] = url.hostname.slice(1, -1).split('::');
  const [before, after] = [first, rest ?? ''].map((part) => part.split(':').filter(Boolean));
  const missing = Array(8 - before!.length - after!.length).fill('0');
  return [...before!, ...missing, ...after!].map((group) => group.padStart(4, '0')).join('');
}
