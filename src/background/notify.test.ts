import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openOutbound } from '../../spec/support/destination.ts';
import { makeZone } from '../../spec/support/memory-zones.ts';
import { printAbsoluteName } from '../dns/name.ts';
import { catalogZone } from '../domain/catalog.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Zone } from '../domain/zone.ts';
import type { Notice, NotifySender, NotifyTarget } from '../outbound/notify.ts';
import { silentLog } from '../telemetry/log.ts';
import { NotifyAnswers } from './notify-answers.ts';
import { type NotifiedChange, Notifier } from './notify.ts';

interface Sent {
  readonly zone: string;
  readonly to: string;
  readonly serial: number;
  readonly aborted: () => boolean;
  answer(error?: string): void;
}

function secondary(name: string, address: string, fields: Partial<Secondary> = {}): Secondary {
  return { id: 1, name, address, enabled: true, notifyKeyName: null, createdAt: 0, ...fields };
}

/** A notifier over a sender that keeps every message until the test answers it. */
function setup(
  list: Secondary[],
  batchMs = 0,
  hosts: Record<string, string[] | Promise<never>> = {},
) {
  const zones = new Map<string, Zone>();
  const sent: Sent[] = [];
  const answers = new NotifyAnswers(() => 7);
  const sentCatalog: Sent[] = [];
  const order: string[] = [];
  const held = { catalog: false };
  const counted: string[] = [];
  let listener: (changes: readonly NotifiedChange[]) => void = () => {};
  let automatic: ((to: string) => string | undefined) | undefined;
  const sender: NotifySender = {
    send: (notice: Notice, target: NotifyTarget, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const { address, port } = target.destination;
        const to = `${address}:${port}`;
        const answer = (error?: string) => {
          if (error === undefined) resolve();
          else reject(new Error(error, { cause: { code: /E[A-Z]+/.exec(error)?.[0] } }));
        };
        signal?.addEventListener('abort', () => reject(signal.reason));
        const { rdata } = notice.soa;
        const serial = rdata.readUInt32BE(rdata.length - 20);
        const isCatalog = printAbsoluteName(notice.apex) === 'catalog.invalid.';
        const zone = printAbsoluteName(notice.apex);
        const entry = { zone, to, serial, answer, aborted: () => signal?.aborted ?? false };
        order.push(zone);
        if (isCatalog) {
          sentCatalog.push(entry);
          if (!held.catalog) answer();
          return;
        }
        sent.push(entry);
        if (automatic !== undefined) answer(automatic(to));
      }),
    setTimeouts: () => {},
    close: () => {},
  };
  const notifier = new Notifier(
    {
      onCommit: (given) => {
        listener = given;
      },
      secondaries: {
        byName: (name) => list.find((one) => one.name === name),
        enabled: () => list.filter(({ enabled }) => enabled),
      },
      zones: {
        byName: (name) => zones.get(name),
        inOrder: () => zones.values(),
      },
      catalog: () => catalogZone('catalog.invalid', { serial: 100, memberCount: zones.size }),
      sender,
      outbound: openOutbound(
        async (host) => hosts[host] ?? Promise.reject(new Error(`${host} is unknown`)),
      ),
      metrics: { notifySent: { inc: (result) => counted.push(result) } },
      log: silentLog(),
      answers,
    },
    { batchMs },
  );
  return {
    answers,
    notifier,
    sent,
    sentCatalog,
    order,
    /** Whether the catalog's messages wait for an answer of the test. */
    held,
    counted,
    zones,
    commit(kind: NotifiedChange['kind'], name: string, fields: Partial<Zone> = {}) {
      const before = zones.get(name) ?? makeZone(name, { serial: 0 });
      const zone = { ...before, serial: before.serial + 1, ...fields };
      zones.set(name, zone);
      listener([{ kind, zone }]);
    },
    answerAll(answer: (to: string) => string | undefined) {
      automatic = answer;
    },
  };
}

// Time passes only where the test lets it, so that no window ends early on a slow host.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);
const settle = () => passes(20);
const ns2 = secondary('ns2', '192.0.2.2:53');
const ns3 = secondary('ns3', '[2001:db8::3]:5353');

describe('the notifier (decisions 8, interface 6)', () => {
  it('tells every enabled secondary after the commit, not within it', async () => {
    const { commit, sent } = setup([
      ns2,
      ns3,
      secondary('ns4', '192.0.2.4:53', { enabled: false }),
    ]);
    commit('created', 'example.com');
    expect(sent).toEqual([]);
    await settle();
    expect(sent.map(({ to }) => to)).toEqual(['192.0.2.2:53', '2001:db8::3:5353']);
    expect(sent.every(({ serial }) => serial === 1)).toBe(true);
  });

  it('tells at every address of a host name; one that acknowledges is enough', async () => {
    const hosts = { 'ns5.example.net': ['192.0.2.5', '2001:db8::5'] };
    const { notifier, commit, sent, counted, answerAll } = setup(
      [secondary('ns5', 'ns5.example.net:53')],
      0,
      hosts,
    );
    answerAll((to) => (to.startsWith('2001') ? 'did not answer' : undefined));
    commit('created', 'example.com');
    await settle();
    expect(sent).toHaveLength(2);
    // The catalog at both addresses, then the zone.
    expect(counted.sort()).toEqual(['failed', 'ok', 'ok', 'ok']);
    expect(await notifier.notifyNow('example.com')).toEqual([]);
  });

  it('says nothing of deleted, disabled and edited disabled zones', async () => {
    const { commit, sent } = setup([ns2]);
    commit('deleted', 'gone.test');
    commit('disabled', 'off.test', { enabled: false });
    commit('changed', 'off.test', { enabled: false });
    await settle();
    expect(sent).toEqual([]);
    for (const kind of ['changed', 'renamed', 'enabled', 'bumped'] as const) {
      commit(kind, `${kind}.test`);
    }
    await settle();
    expect(sent).toHaveLength(4);
  });

  it('tells the catalog first when a zone comes, and alone when one goes', async () => {
    const { commit, order } = setup([ns2]);
    for (const kind of ['created', 'enabled', 'renamed'] as const) {
      commit(kind, `${kind}.test`);
      await settle();
      expect(order.splice(0)).toEqual(['catalog.invalid.', `${kind}.test.`]);
    }
    for (const kind of ['deleted', 'disabled'] as const) {
      commit(kind, `${kind}.test`, kind === 'disabled' ? { enabled: false } : {});
      await settle();
      expect(order.splice(0)).toEqual(['catalog.invalid.']);
    }
    for (const kind of ['changed', 'bumped'] as const) {
      commit(kind, `${kind}.test`);
      await settle();
      expect(order.splice(0)).toEqual([`${kind}.test.`]);
    }
    // A disabled zone was no member before, and is none after.
    for (const kind of ['deleted', 'renamed', 'created'] as const) {
      commit(kind, 'off.test', { enabled: false });
    }
    await settle();
    expect(order).toEqual([]);
  });

  it('lets a new zone wait for the answer about the catalog, and not for ever', async () => {
    const { commit, order, held, sentCatalog } = setup([ns2, ns3]);
    held.catalog = true;
    commit('created', 'example.com');
    commit('changed', 'other.test');
    await settle();
    expect(order.splice(0).sort()).toEqual([
      'catalog.invalid.',
      'catalog.invalid.',
      'other.test.',
      'other.test.',
    ]);
    sentCatalog[0]!.answer('192.0.2.2:53 answered NOTAUTH');
    await settle();
    expect(order.splice(0)).toEqual(['example.com.']);
    await passes(1100);
    expect(order).toEqual(['example.com.']);
  });

  it('tells one catalog of a thousand new zones', async () => {
    const { commit, sent, sentCatalog, answerAll } = setup([ns2]);
    answerAll(() => undefined);
    for (let at = 0; at < 1000; at++) commit('created', `z${at}.test`);
    await passes(100);
    expect(sentCatalog).toHaveLength(1);
    expect(sent).toHaveLength(1000);
  });

  it('tells the catalog when asked for it by its name', async () => {
    const { notifier, sentCatalog, sent } = setup([ns2]);
    expect(await notifier.notifyNow('catalog.invalid')).toEqual([]);
    expect(sentCatalog.map(({ serial }) => serial)).toEqual([100]);
    expect(sent).toEqual([]);
  });

  it('replaces the exchange in flight by a newer one of the same zone and secondary', async () => {
    const { commit, sent } = setup([ns2]);
    commit('created', 'example.com');
    commit('created', 'example.net');
    await settle();
    commit('changed', 'example.com');
    await passes(200);
    expect(sent.map(({ serial }) => serial)).toEqual([1, 1, 2]);
    expect(sent.map(({ aborted }) => aborted())).toEqual([true, false, false]);
  });

  it('costs few messages for a thousand quick changes (flood)', async () => {
    const { commit, sent } = setup([ns2]);
    commit('created', 'example.com');
    await settle();
    for (let round = 0; round < 1000; round++) {
      commit('changed', 'example.com');
      if (round % 100 === 0) await passes(1);
    }
    await passes(250);
    expect(sent.length).toBeLessThanOrEqual(4);
    expect(sent.at(-1)!.serial).toBe(1001);
    expect(sent.filter(({ aborted }) => !aborted())).toHaveLength(1);
  });

  it('sends the newest at once when the one under way is answered', async () => {
    const { commit, sent } = setup([ns2]);
    commit('created', 'example.com');
    await settle();
    commit('changed', 'example.com');
    commit('changed', 'example.com');
    await settle();
    expect(sent).toHaveLength(1);
    sent[0]!.answer();
    await settle();
    expect(sent.map(({ serial }) => serial)).toEqual([1, 3]);
  });

  it('gathers the changes of a window', async () => {
    const { commit, sent } = setup([ns2], 60);
    for (let round = 0; round < 5; round++) commit('changed', 'example.com');
    await settle();
    expect(sent).toEqual([]);
    await passes(80);
    expect(sent.map(({ serial }) => serial)).toEqual([5]);
  });

  it('has a bounded number of exchanges under way; others are not held up', async () => {
    const { commit, sent } = setup([ns2, ns3]);
    for (let at = 0; at < 200; at++) commit('created', `z${at}.test`);
    await settle();
    const to = (address: string) => sent.filter((one) => one.to.startsWith(address));
    expect(to('192.0.2.2')).toHaveLength(64);
    for (const one of to('2001')) one.answer();
    await settle();
    expect(to('2001')).toHaveLength(128);
    expect(to('192.0.2.2')).toHaveLength(64);
  });

  it('waits for the answers when asked to, and names who failed', async () => {
    const { notifier, zones, sent, answerAll } = setup([
      ns2,
      ns3,
      secondary('ns6', 'nowhere.example.net:53'),
      secondary('ns7', '192.0.2.7:53', { notifyKeyName: 'lost.key' }),
    ]);
    zones.set('example.com', makeZone('example.com'));
    zones.set('off.test', makeZone('off.test', { enabled: false }));
    answerAll((to) => (to.startsWith('2001') ? '[2001:db8::3]:5353 answered REFUSED' : undefined));
    const expected = [
      { secondary: 'ns3', error: '[2001:db8::3]:5353 answered REFUSED' },
      { secondary: 'ns6', error: 'nowhere.example.net is unknown' },
      { secondary: 'ns7', error: "TSIG key 'lost.key' is not available" },
    ];
    const sorted = (failures: { secondary: string }[]) =>
      failures.sort((a, b) => (a.secondary < b.secondary ? -1 : 1));
    expect(sorted(await notifier.notifyNow('example.com'))).toEqual(expected);
    expect(sorted(await notifier.notifyNow(undefined))).toEqual(expected);
    expect(sent).toHaveLength(4);
  });

  it('keeps what each secondary said last, unless it refused what is new to it', async () => {
    const { commit, zones, answers, answerAll } = setup([ns2]);
    zones.set('example.com', makeZone('example.com'));
    answerAll(() => '192.0.2.2:53 answered NOTAUTH');
    commit('created', 'example.com');
    await settle();
    // The catalog, which it took.
    expect(answers.of('ns2')).toEqual({ zoneName: 'catalog.invalid', at: 7, error: null });
    commit('changed', 'example.com');
    await settle();
    const error = '192.0.2.2:53 answered NOTAUTH';
    expect(answers.of('ns2')).toEqual({ zoneName: 'example.com', at: 7, error });
    expect(answers.of('ns3')).toBeUndefined();
  });

  it('lets who waits for a replaced exchange wait for the one that replaces it', async () => {
    const { notifier, commit, zones, sent } = setup([ns2]);
    zones.set('example.com', makeZone('example.com', { serial: 1 }));
    const outcome = notifier.notifyNow('example.com');
    await settle();
    commit('changed', 'example.com');
    await passes(150);
    expect(sent.map(({ serial }) => serial)).toEqual([1, 2]);
    sent[1]!.answer('192.0.2.2:53 answered SERVFAIL');
    expect(await outcome).toEqual([{ secondary: 'ns2', error: '192.0.2.2:53 answered SERVFAIL' }]);
  });

  it('waits for a silent secondary, however often the zone changes meanwhile', async () => {
    const { notifier, commit, zones, sent, answers } = setup([ns2]);
    zones.set('example.com', makeZone('example.com', { serial: 1 }));
    const outcomes: unknown[] = [];
    void notifier.notifyNow('example.com').then((outcome) => outcomes.push(outcome));
    for (let change = 0; change < 20; change++) {
      await passes(150);
      commit('changed', 'example.com');
    }
    await settle();
    expect(sent.map(({ aborted }) => aborted())).toEqual([true, false]);
    sent[1]!.answer('192.0.2.2:53 did not answer');
    await settle();
    const error = '192.0.2.2:53 did not answer';
    expect(outcomes).toEqual([[{ secondary: 'ns2', error }]]);
    expect(answers.of('ns2')).toMatchObject({ zoneName: 'example.com', error });
    // The newest is sent at once, and may be replaced again.
    expect(sent.slice(2).map(({ serial }) => serial)).toEqual([21]);
    commit('changed', 'example.com');
    await passes(150);
    expect(sent.slice(3).map(({ serial }) => serial)).toEqual([22]);
  });

  it('keeps what one address acknowledged when the exchange is replaced', async () => {
    const hosts = { 'ns5.example.net': ['192.0.2.5', '2001:db8::5'] };
    const ns5 = secondary('ns5', 'ns5.example.net:53');
    const { notifier, commit, zones, sent, answers, counted } = setup([ns5], 0, hosts);
    zones.set('example.com', makeZone('example.com', { serial: 1 }));
    const outcomes: unknown[] = [];
    void notifier.notifyNow('example.com').then((outcome) => outcomes.push(outcome));
    for (let serial = 1; serial < 5; serial++) {
      await settle();
      const ofSerial = sent.filter((each) => each.serial === serial);
      expect(ofSerial).toHaveLength(2);
      ofSerial[0]!.answer();
      await passes(150);
      commit('changed', 'example.com');
    }
    await settle();
    expect(outcomes).toEqual([[]]);
    expect(answers.of('ns5')).toEqual({ zoneName: 'example.com', at: 7, error: null });
    expect(counted).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  it('tells one secondary all zones while another is silent', async () => {
    const { notifier, zones, sent, answers } = setup([ns2, ns3]);
    for (let at = 0; at < 1234; at++) zones.set(`z${at}.test`, makeZone(`z${at}.test`));
    void notifier.notifyNow(undefined);
    await settle();
    const to = (address: string) => sent.filter((one) => one.to.startsWith(address));
    for (let answered = 0; answered < to('2001').length; ) {
      for (const one of to('2001').slice(answered)) {
        one.answer();
        answered++;
      }
      await settle();
    }
    expect([to('2001').length, to('192.0.2.2').length]).toEqual([1234, 64]);
    expect(answers.of('ns3')).toMatchObject({ error: null });
    notifier.stop();
  });

  it('loses nothing that comes when an exchange has just ended', async () => {
    const { notifier, zones, sent } = setup([ns2]);
    zones.set('example.com', makeZone('example.com'));
    for (let turns = 0; turns < 20; turns++) {
      let ended = 0;
      const end = () => ended++;
      void notifier.notifyNow('example.com').then(end);
      await settle();
      sent.pop()!.answer();
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      void notifier.notifyNow('example.com').then(end);
      await settle();
      sent.pop()?.answer();
      await settle();
      expect(ended).toBe(2);
    }
  });

  it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'])(
    'tells again, some times, when nothing but the network fails: %s',
    async (code) => {
      const hosts = { 'ns5.example.net': ['192.0.2.5', '2001:db8::5'] };
      const ns5 = secondary('ns5', 'ns5.example.net:53');
      const { notifier, zones, sent, counted, answerAll } = setup([ns5], 0, hosts);
      zones.set('example.com', makeZone('example.com'));
      const outcomes: unknown[] = [];
      const tell = async () => {
        void notifier.notifyNow('example.com').then((outcome) => outcomes.push(outcome));
        await settle();
      };
      answerAll(() => code);
      await tell();
      await passes(2900);
      expect([sent.length, outcomes]).toEqual([2, []]);
      await passes(100);
      expect([sent.length, outcomes]).toEqual([4, []]);
      answerAll(() => undefined);
      await passes(3000);
      expect([sent.length, outcomes, counted.splice(0)]).toEqual([6, [[]], ['ok', 'ok']]);
      answerAll(() => code);
      await tell();
      await passes(10_000);
      expect(sent).toHaveLength(12);
      const error = `${code}; ${code}`;
      expect(outcomes.splice(1)).toEqual([[{ secondary: 'ns5', error }]]);
      // One address that says something else is enough of an answer.
      answerAll((to) => (to.startsWith('2001') ? code : 'answered REFUSED'));
      await tell();
      expect(sent).toHaveLength(14);
      expect(outcomes).toHaveLength(2);
    },
  );

  it('looks a name up again that nobody resolves for a moment', async () => {
    const again = Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
    const hosts: Record<string, string[] | Promise<never>> = { 'ns5.test': Promise.reject(again) };
    const { notifier, zones, sent, answerAll } = setup([secondary('ns5', 'ns5.test:53')], 0, hosts);
    zones.set('example.com', makeZone('example.com'));
    answerAll(() => undefined);
    const outcomes: unknown[] = [];
    void notifier.notifyNow('example.com').then((outcome) => outcomes.push(outcome));
    await settle();
    hosts['ns5.test'] = ['192.0.2.5'];
    // The failure is kept for 5 s.
    await passes(6000);
    expect([sent.length, outcomes]).toEqual([1, [[]]]);
  });

  it('sends news at once when it waits for the network, and ends with the service', async () => {
    const { notifier, commit, sent, answerAll } = setup([ns2]);
    answerAll(() => 'ENETUNREACH');
    commit('changed', 'example.com');
    await passes(1000);
    commit('changed', 'example.com');
    await settle();
    expect(sent.map(({ serial }) => serial)).toEqual([1, 2]);
    const outcome = notifier.notifyNow('example.com');
    await settle();
    notifier.stop();
    expect(await outcome).toEqual([{ secondary: 'ns2', error: 'the service is stopping' }]);
    await passes(10_000);
    expect(sent).toHaveLength(2);
  });

  it('tells all zones, however many pages they fill', async () => {
    const { notifier, zones, sent, answerAll } = setup([ns2]);
    for (let at = 0; at < 2345; at++) zones.set(`z${at}.test`, makeZone(`z${at}.test`));
    answerAll((to) => (sent.length % 1000 === 0 ? `${to} did not answer` : undefined));
    expect(await notifier.notifyNow(undefined)).toEqual([
      { secondary: 'ns2', error: '192.0.2.2:53 did not answer (and 1 more)' },
    ]);
    expect(sent).toHaveLength(2345);
  });

  it('tells the catalog first when all are told, which plain secondaries may refuse', async () => {
    const { notifier, zones, order, sentCatalog, answers, answerAll, held } = setup([ns2]);
    answerAll(() => undefined);
    held.catalog = true;
    const refused = async () => {
      const outcome = notifier.notifyNow(undefined);
      await settle();
      sentCatalog.at(-1)!.answer('192.0.2.2:53 answered REFUSED');
      return outcome;
    };
    expect(await refused()).toEqual([{ secondary: 'ns2', error: '192.0.2.2:53 answered REFUSED' }]);
    zones.set('example.com', makeZone('example.com'));
    expect(await refused()).toEqual([]);
    expect(order).toEqual(['catalog.invalid.', 'catalog.invalid.', 'example.com.']);
    expect(answers.of('ns2')).toMatchObject({ zoneName: 'example.com', error: null });
  });

  it('sends nothing once stopped, and leaves nobody waiting', async () => {
    const { notifier, commit, zones, sent } = setup([ns2]);
    zones.set('example.com', makeZone('example.com'));
    const outcome = notifier.notifyNow('example.com');
    await settle();
    notifier.stop();
    expect(await outcome).toEqual([{ secondary: 'ns2', error: 'the service is stopping' }]);
    commit('changed', 'example.com');
    await settle();
    expect(sent).toHaveLength(1);
  });

  it('keeps no process waiting for a change that comes after its stop', () => {
    const { notifier, commit } = setup([ns2], 60_000);
    notifier.stop();
    commit('created', 'example.com');
    expect(vi.getTimerCount()).toBe(0);
  });
});
