/** The settings of the adapter by name (interface 4.9), without a word on what they may be. */

/** Of each setting its variable, and what it is when neither that nor its flag is given. */
export const adapterFlags = {
  svcUrl: { variable: 'SVC_URL', fallback: undefined },
  token: { variable: 'SVC_API_TOKEN', fallback: undefined },
  tokenFile: { variable: 'SVC_API_TOKEN_FILE', fallback: undefined },
  caFile: { variable: 'SVC_CA_FILE', fallback: undefined },
  listenAddr: { variable: 'SVC_EXTERNAL_DNS_LISTEN_ADDR', fallback: '127.0.0.1:8888' },
  healthListenAddr: { variable: 'SVC_EXTERNAL_DNS_HEALTH_ADDR', fallback: '0.0.0.0:8080' },
  timeoutSecs: { variable: 'SVC_EXTERNAL_DNS_TIMEOUT_SECS', fallback: '8' },
  logLevel: { variable: 'SVC_EXTERNAL_DNS_LOG_LEVEL', fallback: 'info' },
} as const;

export type FlagName = keyof typeof adapterFlags;
export type FlagValues = Readonly<Partial<Record<FlagName, string | undefined>>>;
