/** Where a listener of this host can be asked: one that takes every address is asked by loopback. */
export function reachableAddress(listenAddress: string): string {
  if (listenAddress === '0.0.0.0') return '127.0.0.1';
  return listenAddress === '::' ? '::1' : listenAddress;
}
