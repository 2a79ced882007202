import { Socket } from 'node:dgram';
import { afterEach, expect, it, vi } from 'vitest';
import { readAnswer, requestMessage } from '../../spec/support/dns-messages.ts';
import { askByTcp } from '../../spec/support/exchanges.ts';
import { ServedFolder } from '../../spec/support/served-folder.ts';

afterEach(() => void vi.restoreAllMocks());

it('answers for a transfer as soon as it listens', async () => {
  await using served = await ServedFolder.make();
  const { bind } = Socket.prototype;
  let asked: Promise<Buffer> | undefined;
  vi.spyOn(Socket.prototype, 'bind').mockImplementationOnce(function (this: Socket, ...given) {
    // It listens on TCP by now.
    asked = askByTcp(served.dnsPort, requestMessage({ name: 'catalog.invalid', type: 'AXFR' }));
    const goOn = () => void Reflect.apply(bind, this, given);
    asked.then(goOn, goOn);
    return this;
  });
  await served.start();
  expect(readAnswer((await asked)!).rcode).toBe('REFUSED');
});
