/** Runs the adapter in the foreground until SIGTERM or SIGINT. */
import { createLog } from '../telemetry/log.ts';
import { startAdapter } from './adapter.ts';
import type { FlagValues } from './flags.ts';
import { adapterSettings } from './settings.ts';

/** Resolves when it has stopped; rejects when it can not start. */
export async function runAdapter(
  flags: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const settings = adapterSettings(flags, environment);
  const log = createLog({ level: settings.logLevel, format: 'text' });
  const adapter = await startAdapter(settings, log);
  log.info('external-dns.started', {
    service: settings.serviceUrl.href,
    webhook: adapter.webhookAddress,
    health: adapter.healthAddress,
  });
  const signal = await stopSignal();
  log.info('external-dns.stopping', { signal });
  await adapter.stop();
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => resolve(signal));
    }
  });
}
