/**
 * RFC 2136 2.4 and 3.2: prerequisites, as nsupdate and knsupdate send them, signed, to the running
 * service. Each update would add a record, so that what was done is seen as well as what was said.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import type { PeerKey } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import {
  makeUpdateKey,
  makeZoneOf,
  recordsOf,
  sendUpdate,
  serialOf,
  updaters,
} from '../support/updaters.ts';

const zone = 'example.com';

let service: RunningService;
let key: PeerKey;

for (const updater of updaters) {
  needsPeers(updater)(`prerequisites by ${updater}`, () => {
    let number = 0;

    beforeAll(async () => {
      service = await startService();
      await makeZoneOf(
        service,
        zone,
        'www 300 A 192.0.2.1',
        'www 300 A 192.0.2.2',
        'deep.down 300 A 192.0.2.3',
        '*.wild 300 A 192.0.2.4',
        'mail 300 MX mx.example.com.',
      );
      key = await makeUpdateKey(service, 'updater.example.com', zone);
    });
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
    });

    /** The answer, after it is made sure that the update was done exactly when it is NOERROR. */
    async function answerTo(...prerequisites: string[]): Promise<string> {
      const before = await serialOf(service, zone);
      const name = `new-${++number}`;
      const commands = [
        ...prerequisites.map((line) => `prereq ${line}`),
        `update add ${name}.${zone} 60 A 192.0.2.9`,
      ];
      const answer = await sendUpdate(updater, { port: service.dnsPort, zone, key }, ...commands);
      const isDone = answer === 'NOERROR';
      expect(await serialOf(service, zone)).toBe(before + (isDone ? 1 : 0));
      expect((await recordsOf(service, zone)).includes(`${name} 60 A 192.0.2.9`)).toBe(isDone);
      return answer;
    }

    it('2.4.4, case 3: name is in use', async () => {
      expect(await answerTo('yxdomain www.example.com')).toBe('NOERROR');
      expect(await answerTo('yxdomain example.com')).toBe('NOERROR');
      expect(await answerTo('yxdomain gone.example.com')).toBe('NXDOMAIN');
      expect(await answerTo('yxdomain down.example.com')).toBe('NXDOMAIN');
      expect(await answerTo('yxdomain any.wild.example.com')).toBe('NXDOMAIN');
    });

    it('3.2: what signing made exists as what is stored does', async () => {
      const signed = `${updater}.example`;
      await makeZoneOf(service, signed, 'www 300 A 192.0.2.1');
      const body = { parent_ns_addrs: ['127.0.0.1'] };
      await service.must('POST', `/zones/${signed}/dnssec`, body);
      const key = await makeUpdateKey(service, `key.${signed}`, signed);
      const made = ['DNSKEY', 'RRSIG', 'NSEC3PARAM'].map((type) => `${signed} ${type}`);
      for (const [lines, exists] of [
        [[...made, `www.${signed} RRSIG`], true],
        [[`www.${signed} DNSKEY`, `gone.${signed} RRSIG`], false],
      ] as const) {
        for (const line of lines) {
          const answers: string[] = [];
          for (const asked of ['yxrrset', 'nxrrset']) {
            const to = { port: service.dnsPort, zone: signed, key };
            answers.push(await sendUpdate(updater, to, `prereq ${asked} ${line}`));
          }
          const expected = exists ? ['NOERROR', 'YXRRSET'] : ['NXRRSET', 'NOERROR'];
          expect([line, ...answers]).toEqual([line, ...expected]);
        }
      }
    });

    it('2.4.1, case 4: RRset exists', async () => {
      expect(await answerTo('yxrrset www.example.com A')).toBe('NOERROR');
      expect(await answerTo('yxrrset example.com SOA')).toBe('NOERROR');
      expect(await answerTo('yxrrset example.com NS')).toBe('NOERROR');
      expect(await answerTo('yxrrset www.example.com AAAA')).toBe('NXRRSET');
      expect(await answerTo('yxrrset gone.example.com A')).toBe('NXRRSET');
      expect(await answerTo('yxrrset any.wild.example.com A')).toBe('NXRRSET');
    });

    it('2.4.5, case 5: name is not in use', async () => {
      expect(await answerTo('nxdomain gone.example.com')).toBe('NOERROR');
      expect(await answerTo('nxdomain down.example.com')).toBe('NOERROR');
      expect(await answerTo('nxdomain www.example.com')).toBe('YXDOMAIN');
      expect(await answerTo('nxdomain example.com')).toBe('YXDOMAIN');
    });

    it('2.4.3, case 6: RRset does not exist', async () => {
      expect(await answerTo('nxrrset www.example.com AAAA')).toBe('NOERROR');
      expect(await answerTo('nxrrset gone.example.com A')).toBe('NOERROR');
      expect(await answerTo('nxrrset www.example.com A')).toBe('YXRRSET');
    });

    it('2.4.2, case 7: RRset is exactly this', async () => {
      const [one, two, three] = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(
        (address) => `yxrrset www.example.com A ${address}`,
      );
      expect(await answerTo(two!, one!)).toBe('NOERROR');
      expect(await answerTo('yxrrset MAIL.example.com MX 10 MX.Example.COM.')).toBe('NOERROR');
      expect(await answerTo('yxrrset *.wild.example.com A 192.0.2.4')).toBe('NOERROR');
      expect(await answerTo(one!)).toBe('NXRRSET');
      expect(await answerTo(one!, two!, three!)).toBe('NXRRSET');
      expect(await answerTo(one!, three!)).toBe('NXRRSET');
      expect(await answerTo('yxrrset gone.example.com A 192.0.2.1')).toBe('NXRRSET');
      expect(await answerTo('yxrrset any.wild.example.com A 192.0.2.4')).toBe('NXRRSET');
    });

    it('3.2.5: several are all to hold, the first that does not is told', async () => {
      const good = ['yxdomain www.example.com', 'nxrrset www.example.com TXT'];
      expect(await answerTo(...good)).toBe('NOERROR');
      expect(await answerTo(...good, 'nxdomain www.example.com', 'yxdomain gone.example.com')).toBe(
        'YXDOMAIN',
      );
    });
  });
}
