/**
 * `external-dns`: runs the adapter between an external DNS controller and a service (interface 4.9).
 *
 * It reads variables of its own, SVC_*, so that a container needs no arguments; what `--url` and
 * ZONEBOOK_URL say is about the other commands.
 */
import { adapterFlags, type FlagName } from '../../externaldns/flags.ts';
import { defineCommand } from '../command.ts';
import { CliFailure, exitCode, usageFailure } from '../failure.ts';
import { text } from '../field.ts';

function setting(name: FlagName, description: string) {
  const { variable, fallback } = adapterFlags[name];
  const otherwise = fallback === undefined ? '' : `; ${fallback} when left out`;
  return text(`${description}; also ${variable}${otherwise}`);
}

export const externalDns = defineCommand({
  usage: 'external-dns',
  summary: 'Run the webhook that lets ExternalDNS manage records of a service',
  notes:
    'The webhook knows no token: keep it on loopback or a private network. The service needs ' +
    'api.external_dns_enabled = true.',
  examples: [
    [
      'zonebook external-dns --svc-url http://127.0.0.1:3000 --token-file /run/secrets/token',
      'beside the service, webhook on 127.0.0.1:8888, probes on port 8080',
    ],
  ],
  options: {
    svcUrl: setting('svcUrl', 'URL of the service'),
    token: setting('token', 'token for the service'),
    tokenFile: setting('tokenFile', 'file with the token, read again when it changes'),
    caFile: setting('caFile', 'PEM file of authorities to trust beside those of the system'),
    listenAddr: setting('listenAddr', 'where the controller asks'),
    healthListenAddr: setting('healthListenAddr', 'where /healthz and /metrics are'),
    timeoutSecs: setting('timeoutSecs', 'seconds the service has for one answer'),
    logLevel: setting('logLevel', 'lowest level of log lines: debug, info, warn, error'),
  },
  async run(flags, { services }) {
    try {
      // Loaded here, so that other commands start without it.
      const { runAdapter } = await import('../../externaldns/adapter.ts');
      await runAdapter(flags, services.env);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'AdapterSettingsError') throw error;
      if (error.message.startsWith('--')) throw usageFailure(error.message);
      throw new CliFailure(exitCode.configurationUnusable, error.message);
    }
    return exitCode.ok;
  },
});
