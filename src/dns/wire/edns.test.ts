import { describe, expect, it } from 'vitest';
import { extendedError, extendedErrorCode, optionCode, optionOf, tcpKeepalive } from './edns.ts';

describe('EDNS options', () => {
  it('writes extended errors (RFC 8914 2)', () => {
    const option = extendedError(extendedErrorCode.PROHIBITED, 'nö');
    expect(option).toEqual({ code: 15, data: Buffer.from('00126ec3b6', 'hex') });
  });

  it('writes the keepalive in units of 100 ms (RFC 7828 3.1)', () => {
    expect(tcpKeepalive(30)).toEqual({ code: 11, data: Buffer.from('012c', 'hex') });
    expect(tcpKeepalive(100_000).data.toString('hex')).toBe('ffff');
  });

  it('tells which options a client sent', () => {
    const edns = { udpPayload: 1232, version: 0, dnssecOk: false, options: [] };
    expect(optionOf(undefined, optionCode.TCP_KEEPALIVE)).toBeUndefined();
    expect(optionOf(edns, optionCode.TCP_KEEPALIVE)).toBeUndefined();
    const options = [{ code: 11, data: Buffer.alloc(0) }];
    expect(optionOf({ ...edns, options }, optionCode.TCP_KEEPALIVE)).toBe(options[0]);
  });
});
