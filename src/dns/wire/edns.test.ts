import { describe, expect, it } from 'vitest';
import {
  extendedError,
  extendedErrorCode,
  readExtendedError,
  tcpKeepalive,
  wantsTcpKeepalive,
} from './edns.ts';

describe('EDNS options', () => {
  it('writes and reads extended errors (RFC 8914 2)', () => {
    const option = extendedError(extendedErrorCode.PROHIBITED, 'nö');
    expect(option).toEqual({ code: 15, data: Buffer.from('00126ec3b6', 'hex') });
    expect(readExtendedError(option)).toEqual({ code: 18, text: 'nö' });
    expect(readExtendedError({ code: 15, data: Buffer.of(0) })).toBeUndefined();
    expect(readExtendedError({ code: 3, data: Buffer.of(0, 18) })).toBeUndefined();
  });

  it('writes the keepalive in units of 100 ms (RFC 7828 3.1)', () => {
    expect(tcpKeepalive(30)).toEqual({ code: 11, data: Buffer.from('012c', 'hex') });
    expect(tcpKeepalive(100_000).data.toString('hex')).toBe('ffff');
  });

  it('offers the keepalive only to clients that ask', () => {
    const edns = { udpPayload: 1232, version: 0, dnssecOk: false, options: [] };
    expect(wantsTcpKeepalive(undefined)).toBe(false);
    expect(wantsTcpKeepalive(edns)).toBe(false);
    const options = [{ code: 11, data: Buffer.alloc(0) }];
    expect(wantsTcpKeepalive({ ...edns, options })).toBe(true);
  });
});
