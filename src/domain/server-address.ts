/** Addresses of other servers: `host[:port]`, port 53 when left out; IPv6 in brackets. */
import { excerpt, Problem } from '../base/problem.ts';
import { lowerAscii, NameError, splitNameText } from '../dns/name.ts';
import { parseIpv6, printIpv6 } from '../dns/rdata/fields/address.ts';

const hostPort = /^(?:\[([0-9a-f:.]+(?:%[0-9a-z]+)?)\]|([^:\s[\]]+))(?::(\d{1,5}))?$/;
/** Without leading zeros: some readers take those for octal numbers. */
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** What `printIpv6` writes in front of an IPv4 address in IPv6. */
const mapped = /^::ffff:(?=\d+\.)/;

/**
 * Normalises `host[:port]`: lower-case, port always there (53 when left out). `::ffff:192.0.2.1` is 192.0.2.1, as it is
 * when a server calls from there (outbound/address.ts).
 */
export function parseServerAddress(field: string, text: string): string {
  const trimmed = lowerAscii(text.trim());
  const problem = (reason: string) =>
    new Problem('INVALID_INPUT', `${field}: '${excerpt(trimmed)}' ${reason}`);
  const isUnbracketedIpv6 = trimmed.split(':').length > 2 && !trimmed.startsWith('[');
  const match = hostPort.exec(isUnbracketedIpv6 ? `[${trimmed}]` : trimmed);
  if (match === null) throw problem('is not host[:port]; an IPv6 address with port is [addr]:port');
  const port = match[3] === undefined ? 53 : Number(match[3]);
  if (port < 1 || port > 65_535) throw problem('has a port outside 1..65535');
  if (match[1] !== undefined) return `${hostOfIpv6(match[1], problem)}:${port}`;
  const host = match[2]!.endsWith('.') ? match[2]!.slice(0, -1) : match[2]!;
  if (/^[\d.]+$/.test(host)) {
    if (!ipv4.test(host)) throw problem('is not an IPv4 address');
    return `${host}:${port}`;
  }
  const labels = labelsOfHost(host, problem);
  if (host.length > 253 || labels.some((label) => !/^[a-z0-9_-]{1,63}$/.test(label))) {
    throw problem('is not a host name');
  }
  return `${host}:${port}`;
}

function labelsOfHost(host: string, problem: (reason: string) => Problem): readonly string[] {
  try {
    // A host name has no escapes, so a label is refused as it is written.
    splitNameText(host);
    return host.split('.');
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    throw problem(error.message);
  }
}

function hostOfIpv6(text: string, problem: (reason: string) => Problem): string {
  const bytes = parseIpv6(text);
  if (bytes === undefined) throw problem('is not an IPv6 address');
  const address = printIpv6(bytes);
  return mapped.test(address) ? address.replace(mapped, '') : `[${address}]`;
}
