/** The settings of the adapter by name (interface 4.9), without a word on what they may be. */

/** One setting: its flag without hyphens in front, its variable and what it is when neither is given. */
export const adapterFlags = {
  svcUrl: { flag: 'svc-url', variable: 'SVC_URL', fallback: undefined },
  token: { flag: 'token', variable: 'SVC_API_TOKEN', fallback: undefined },
  tokenFile: { flag: 'token-file', variable: 'SVC_API_TOKEN_FILE', fallback: undefined },
  caFile: { flag: 'ca-file', variable: 'SVC_CA_FILE', fallback: undefined },
  listenAddr: {
    flag: 'listen-addr',
    variable: 'SVC_EXTERNAL_DNS_LISTEN_ADDR',
    fallback: '127.0.0.1:8888',
  },
  healthListenAddr: {
    flag: 'health-listen-addr',
    variable: 'SVC_EXTERNAL_DNS_HEALTH_ADDR',
    fallback: '0.0.0.0:8080',
  },
  timeoutSecs: {
    flag: 'timeout-secs',
    variable: 'SVC_EXTERNAL_DNS_TIMEOUT_SECS',
    fallback: '8',
  },
  logLevel: {
    flag: 'log-level',
    variable: 'SVC_EXTERNAL_DNS_LOG_LEVEL',
    fallback: 'info',
  },
} as const;

export type FlagName = keyof typeof adapterFlags;
export type FlagValues = Readonly<Partial<Record<FlagName, string | undefined>>>;
