/** What tells secondaries of changes: the notifier, its sender and the keys that sign for it. */
import { createNotifier, type Notifier, type NotifierServices } from '../background/notify.ts';
import { systemClock } from '../base/clock.ts';
import { exchangesWith } from '../dns/wire/tsig-exchange.ts';
import type { TsigKeys } from '../nameserver/authenticate.ts';
import { createNotifySender, type NotifySender } from '../outbound/notify.ts';
import type { Config } from './config.ts';

export interface NotifyingServices
  extends Omit<NotifierServices, 'onCommit' | 'sender' | 'signerFor'> {
  readonly engine: Pick<NotifierServices, 'onCommit'>;
  readonly tsigKeys: Pick<TsigKeys, 'byText'>;
}

export interface Notifying {
  readonly sender: NotifySender;
  readonly notifier: Notifier;
  stop(): Promise<void>;
}

export function startNotifying(
  { engine, tsigKeys, ...services }: NotifyingServices,
  { notify, listenAddr }: Config['dns'],
): Notifying {
  const sender = createNotifySender({
    retries: notify.retries,
    timeoutMs: notify.timeoutSecs * 1000,
    listenAddress: listenAddr,
  });
  const notifier = createNotifier(
    {
      ...services,
      sender,
      onCommit: (listener) => engine.onCommit(listener),
      signerFor: (keyName) => {
        const known = tsigKeys.byText(keyName);
        return known && exchangesWith(known.key, systemClock);
      },
    },
    { batchMs: notify.batchMs },
  );
  return {
    sender,
    notifier,
    async stop() {
      await notifier.stop();
      await sender.close();
    },
  };
}
