import { describe, expect, it } from 'vitest';
import { adapterSettings, AdapterSettingsError } from './settings.ts';

const svcUrl = 'https://dns.example.com:3000';

describe('settings of the adapter', () => {
  it('need nothing but the URL of the service', () => {
    expect(adapterSettings({ svcUrl }, {})).toEqual({
      serviceUrl: new URL(svcUrl),
      token: undefined,
      tokenFile: undefined,
      caFile: undefined,
      listen: { host: '127.0.0.1', port: 8888 },
      healthListen: { host: '0.0.0.0', port: 8080 },
      timeoutMs: 8000,
      logLevel: 'info',
    });
  });

  it('come from variables, and flags go before them', () => {
    const environment = {
      SVC_URL: 'http://127.0.0.1:3000/prefix/',
      SVC_API_TOKEN: 'zb_variable',
      SVC_API_TOKEN_FILE: '/run/secrets/token',
      SVC_CA_FILE: '/etc/ca.pem',
      SVC_EXTERNAL_DNS_LISTEN_ADDR: '[::1]:1888',
      SVC_EXTERNAL_DNS_HEALTH_ADDR: ':1080',
      SVC_EXTERNAL_DNS_TIMEOUT_SECS: '5',
      SVC_EXTERNAL_DNS_LOG_LEVEL: 'WARN',
    };
    const fromVariables = adapterSettings({}, environment);
    expect(fromVariables).toEqual({
      serviceUrl: new URL(environment.SVC_URL),
      token: 'zb_variable',
      tokenFile: '/run/secrets/token',
      caFile: '/etc/ca.pem',
      listen: { host: '::1', port: 1888 },
      healthListen: { host: '::', port: 1080 },
      timeoutMs: 5000,
      logLevel: 'warn',
    });
    const flags = { svcUrl, token: 'zb_flag', timeoutSecs: '9', caFile: undefined };
    expect(adapterSettings(flags, environment)).toEqual({
      ...fromVariables,
      serviceUrl: new URL(svcUrl),
      token: 'zb_flag',
      timeoutMs: 9000,
    });
    expect(adapterSettings({ svcUrl }, { SVC_EXTERNAL_DNS_TIMEOUT_SECS: ' ' }).timeoutMs).toBe(
      8000,
    );
  });

  it.each([
    [{}, '--svc-url (SVC_URL) is missing'],
    [{ svcUrl: 'dns.example.com' }, '--svc-url (SVC_URL) is like https://'],
    [{ svcUrl: 'ftp://dns.example.com' }, '--svc-url'],
    [{ svcUrl: 'http://user@dns.example.com' }, '--svc-url'],
    [{ svcUrl, listenAddr: '127.0.0.1' }, '--listen-addr (SVC_EXTERNAL_DNS_LISTEN_ADDR)'],
    [{ svcUrl, listenAddr: '[nonsense]:1' }, '--listen-addr'],
    [{ svcUrl, healthListenAddr: '0.0.0.0:65536' }, '--health-listen-addr'],
    [{ svcUrl, timeoutSecs: '0' }, '--timeout-secs'],
    [{ svcUrl, timeoutSecs: '8s' }, '--timeout-secs'],
    [{ svcUrl, timeoutSecs: '301' }, '--timeout-secs'],
    [{ svcUrl, logLevel: 'loud' }, '--log-level'],
  ])('are refused by the name of the flag: %j', (flags, message) => {
    expect(() => adapterSettings(flags, {})).toThrow(AdapterSettingsError);
    expect(() => adapterSettings(flags, {})).toThrow(message);
  });
});
