/** Signs NOTIFY with a TSIG key and checks the signature of the answer (RFC 8945 5.4). */
import type { Clock } from '../base/clock.ts';
import { findTsig } from '../dns/wire/tsig.ts';
import { AnswerVerifier } from '../dns/wire/tsig-exchange.ts';
import type { TsigKey } from '../dns/wire/tsig-key.ts';
import { signRequest } from '../dns/wire/tsig-sign.ts';
import type { NotifySigner } from './notify.ts';

export function createNotifySigner(key: TsigKey, clock: Clock): NotifySigner {
  const now = () => Math.floor(clock() / 1000);
  return {
    sign: (message) => signRequest(message, key, now()),
    verify(answer, request) {
      const { mac } = findTsig(request)!;
      return new AnswerVerifier(key, mac, now).verify(answer);
    },
  };
}
