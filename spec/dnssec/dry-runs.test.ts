/** What a change of the signing would do is told by its dry run, and what refuses it says how it is skipped. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ParentZone, parentName } from '../support/parent-zone.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';

interface Key {
  readonly key_tag: number;
  readonly state: string;
}

const labels = [
  ...['enabled', 'rolled', 'moved', 'promoted', 'aborted', 'ended'],
  ...['busy', 'split', 'left'],
] as const;

/** One zone below the parent. */
class Tried {
  readonly name: string;
  readonly #path: string;
  readonly #service: RunningService;
  readonly #parent: ParentZone;
  /** Presentation form of the DS of keys that were seen. */
  readonly #ds = new Map<number, string>();

  constructor(label: (typeof labels)[number], service: RunningService, parent: ParentZone) {
    this.name = `${label}.${parentName}`;
    this.#path = `/zones/${this.name}/dnssec`;
    this.#service = service;
    this.#parent = parent;
  }

  get #given() {
    return { parent_ns_addrs: [`127.0.0.1:${this.#parent.port}`] };
  }

  async create(): Promise<void> {
    const soa = { mname: `ns1.${this.name}`, rname: `root@${this.name}` };
    const times = { default_ttl: 300, refresh: 300 };
    await this.#service.must('POST', '/zones', { name: this.name, ...soa, ...times });
  }

  /** Signed, with its DS at the parent; the tag of its key. */
  async sign(policy = 'default'): Promise<number> {
    await this.create();
    await this.make('POST', '', { ...this.#given, policy_name: policy });
    const tag = await this.tagIn('active');
    await this.serve(tag);
    return tag;
  }

  async status() {
    const found = await this.#service.must('GET', this.#path);
    for (const { key_tag: tag, presentation } of found.ds_records) this.#ds.set(tag, presentation);
    return found;
  }

  /** Of the first key, which is the one that a DS names. */
  async tagIn(state: string): Promise<number> {
    return (await this.status()).keys.find((key: Key) => key.state === state).key_tag;
  }

  /** The parent serves the DS of all keys of an algorithm, also of one that it is not to have yet. */
  async serveUnasked(algorithm: number): Promise<void> {
    const server = ['@127.0.0.1', '-p', String(this.#service.dnsPort), '+tcp'];
    const dig = [...server, this.name, 'DNSKEY', '+noall', '+answer'];
    const input = execFileSync(peer('dig')!, dig, { encoding: 'utf8' });
    const args = ['-2', '-f', '-', this.name];
    const made = execFileSync(peer('dnssec-dsfromkey')!, args, { input, encoding: 'utf8' });
    const all = made.split('\n').map((line) => line.replace(/^.* DS /, ''));
    const wanted = all.filter((each) => each.split(' ')[1] === String(algorithm));
    await this.#parent.setDs(this.name, wanted);
  }

  /** The parent serves the DS of these keys and no others. */
  serve(...tags: readonly number[]): Promise<void> {
    const records = tags.map((tag) => this.#ds.get(tag)!);
    return this.#parent.setDs(this.name, records);
  }

  make(method: string, below: string, body?: object) {
    return this.#service.must(method, this.#path + below, body);
  }

  /** What there is of the zone, and the last event of all. */
  async #standing() {
    const { keys, serial, enabled, withdrawing, policy, parent_ns_addrs } = await this.status();
    const { items: last } = await this.#service.must('GET', '/events?limit=1&order=desc');
    return { keys, serial, enabled, withdrawing, policy, parent_ns_addrs, last };
  }

  /** Asks for a dry run. */
  tryOnly(method: string, below: string, body?: object) {
    const path = this.#path + below;
    return body === undefined
      ? this.#service.call(method, `${path}?dry_run=true`)
      : this.#service.call(method, path, { ...body, dry_run: true });
  }

  /** The same, which has to leave everything as it is. */
  async #try(method: string, below: string, body?: object) {
    const before = await this.#standing();
    const answer = await this.tryOnly(method, below, body);
    expect(await this.#standing()).toEqual(before);
    return answer;
  }

  /** What it would do. */
  async told(method: string, below: string, body?: object): Promise<string> {
    const { status, body: answer } = await this.#try(method, below, body);
    expect([status, answer]).toEqual([200, expect.anything()]);
    return [...answer.effects, ...answer.risks].join('\n');
  }

  /** What refuses it, which refuses the change itself as well. */
  async refused(method: string, below: string, body: object) {
    const { status, body: answer } = await this.#try(method, below, body);
    const real = await this.#service.call(method, this.#path + below, body);
    expect([real.status, real.body.code]).toEqual([status, answer.code]);
    expect(real.body.skippable?.by).toBe(answer.skippable?.by);
    return { ...answer, status };
  }

  /** Tries and makes a change, which has to take the serial that its dry run told; what that told. */
  async both(method: string, below: string, body?: object): Promise<string> {
    const text = await this.told(method, below, body);
    await this.make(method, below, body);
    expect(text).toContain(`The zone becomes serial ${(await this.#standing()).serial}.`);
    return text;
  }

  enable() {
    return this.both('POST', '', this.#given);
  }

  configure(given: object = this.#given) {
    return this.told('PUT', '', given);
  }
}

needsPeers(
  'named',
  'nsupdate',
  'dig',
  'dnssec-dsfromkey',
)('a dry run of signing', () => {
  let service: RunningService;
  let parent: ParentZone;
  beforeAll(async () => {
    parent = await ParentZone.start(labels, 900);
    service = await startService({ ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '0' });
  });
  afterAll(() => service?.[Symbol.asyncDispose]());
  afterAll(() => parent?.[Symbol.asyncDispose]());
  const zoneOf = (label: (typeof labels)[number]) => new Tried(label, service, parent);

  it('says what signing begins with, and makes no key', async () => {
    const zone = zoneOf('enabled');
    await zone.create();
    expect((await zone.status()).to_do).toBeNull();
    expect(await zone.enable()).toContain('A new CSK is made, and every RRset is signed.');
    expect((await zone.status()).to_do.text).toMatch(/^Nothing to do before .* unsigned/);
    expect(await zone.configure()).toBe('');
    expect(await zone.configure({ parent_ns_addrs: ['127.0.0.1:1'] })).toMatch(
      /^For its DS the parent is asked at 127\.0\.0\.1:1\.\nWhat the zone serves stays/,
    );
    const early = await zone.both('POST', '/rollover', {});
    expect(early).toMatch(/Give the new DS to the parent, from \S+ on: the status shows it\./);
    await zone.serve(await zone.tagIn('active'));
    expect((await zone.make('POST', '/check-ds')).to_do).toMatchObject({
      text: expect.stringMatching(/has the DS of key \d+ too early: until .* caches hold the zone/),
      action: null,
    });
  });

  it('says what a move to another policy does', async () => {
    const zone = zoneOf('moved');
    const old = await zone.sign();
    const signed = { signature_validity_days: 14, signature_refresh_days: 5 };
    for (const policy of [
      { name: 'ed', algorithm: 'ed25519', denial: 'nsec3' },
      { name: 'open', algorithm: 'ecdsap256sha256', denial: 'nsec' },
    ]) {
      await service.must('POST', '/dnssec-policies', { ...policy, ...signed });
    }
    const rolled = await zone.configure({ policy_name: 'ed' });
    expect(rolled).toContain(`A new CSK of ed25519 is published beside key ${old}.`);
    expect(rolled).toContain('All data is signed with it too.');
    expect(rolled).toMatch(/Give the new DS to the parent, from \S+ on:/);
    expect(rolled).toContain("The zone comes under the policy 'ed'.");
    expect(await zone.configure({ policy_name: 'open' })).toMatch(
      /^The zone comes under the policy 'open'\.\nAbsent names are denied by NSEC .*\nThe zone becomes/,
    );
  });

  it('says what a roll does, and when', async () => {
    const zone = zoneOf('rolled');
    const old = await zone.sign();
    const text = await zone.both('POST', '/rollover', {});
    expect(text).toContain(`A new CSK is published beside key ${old}.`);
    const [published] = (await zone.status()).keys.filter((key: Key) => key.state !== 'active');
    const [, at] = /not before (\S+),/.exec(text)!;
    // The dry run was a moment before.
    expect(Date.parse(at!)).toBeLessThanOrEqual(Date.parse(published.eligible_at));
    const other = await zone.refused('POST', '/rollover', {});
    expect(other).toMatchObject({ status: 409, code: 'DNSSEC_ROLLOVER_IN_PROGRESS' });
    expect(other).not.toHaveProperty('skippable');
  });

  it('is refused as a promotion is, each time with the check that can be skipped and its danger', async () => {
    const zone = zoneOf('promoted');
    const old = await zone.sign();
    await zone.make('POST', '/rollover', {});
    const fresh = await zone.tagIn('published');
    const hasty = await zone.refused('POST', '/rollover/promote', {});
    expect(hasty).toMatchObject({ status: 400, skippable: { by: 'skip_holddown' } });
    expect(hasty.skippable.danger).toContain(`without key ${fresh} find what it signs bogus`);
    const skip = { skip_holddown: true };
    const unknown = await zone.refused('POST', '/rollover/promote', skip);
    expect(unknown).toMatchObject({ status: 409, code: 'DNSSEC_DS_NOT_PUBLISHED' });
    expect(unknown.skippable.by).toBe('skip_ds_check');
    expect(unknown.skippable.danger).toMatch(/all of the zone is bogus.*\(900 s\) is over/);
    await zone.serve(old, fresh);
    const text = await zone.both('POST', '/rollover/promote', skip);
    expect(text).toContain(`Key ${fresh} takes over from key ${old}. That can not be undone.`);
    const served = `Parent server 127.0.0.1:${parent.port} has the DS of`;
    expect(text).toMatch(new RegExp(`${served} (${old}, ${fresh}|${fresh}, ${old})\\.`));
    expect(await zone.tagIn('active')).toBe(fresh);
  });

  it('tells of an abort, unless the parent relies on the new key', async () => {
    const zone = zoneOf('aborted');
    const old = await zone.sign();
    await zone.make('POST', '/rollover', {});
    const fresh = await zone.tagIn('published');
    await zone.serve(fresh);
    const relied = await zone.refused('POST', '/rollover/abort', {});
    expect(relied).toMatchObject({ status: 409, code: 'DNSSEC_DS_PUBLISHED' });
    expect(relied.skippable.danger).toContain(`DS of key ${fresh} is the only one`);
    await zone.serve(old);
    // Caches may hold what the parent served a moment ago.
    const held = await zone.refused('POST', '/rollover/abort', {});
    expect(held.skippable.by).toBe('skip_ds_check');
    const text = await zone.both('POST', '/rollover/abort', { skip_ds_check: true });
    expect(text).toContain(`Key ${fresh} leaves with its signatures, CDS and CDNSKEY.`);
    expect(text).toContain(`Key ${old} stays active.`);
  });

  it('tells of a withdrawal, of new signatures, and of the end of signing', async () => {
    const zone = zoneOf('ended');
    await zone.sign();
    const withdrawal = await zone.both('POST', '/withdraw');
    expect(withdrawal).toContain('ask the parent to remove the DS (RFC 8078 4)');
    const back = await zone.both('DELETE', '/withdraw');
    expect(back).toContain('name the keys of the zone again');
    const again = await zone.both('POST', '/sign');
    expect(again).toContain('Every RRset gets a new signature.');
    const relied = await zone.refused('DELETE', '', {});
    expect(relied).toMatchObject({ status: 409, code: 'DNSSEC_DS_PUBLISHED' });
    expect(relied.skippable.danger).toMatch(/validators find all of the zone bogus/);
    const text = await zone.both('DELETE', '', { skip_ds_check: true });
    expect(text).toContain('All keys, signatures and other DNSSEC records go.');
    expect(text).toContain(relied.skippable.danger.slice(0, 60));
    expect((await zone.status()).enabled).toBe(false);
  });

  it('tells that resolvers may hold a DS that the parent has let go', async () => {
    const zone = zoneOf('left');
    await zone.sign();
    await zone.make('POST', '/check-ds');
    await zone.serve();
    const held = /esolvers may hold its DS until \S+ and find (it|the zone) bogus until then/;
    const text = await zone.told('DELETE', '', {});
    expect(text).toMatch(held);
    expect((await zone.make('DELETE', '', {})).message).toMatch(held);
  });

  it('is of the change alone while others change the zone', async () => {
    const zone = zoneOf('busy');
    await zone.sign();
    let isDone = false;
    const others = async () => {
      for (let index = 0; !isDone; index++) {
        const record = { name: `h${index}`, type: 'A', value: '192.0.2.1' };
        await service.must('POST', '/records', { zone_name: zone.name, ...record });
      }
    };
    const writing = others();
    try {
      for (let round = 0; round < 30; round++) {
        const { body: roll } = await zone.tryOnly('POST', '/rollover', {});
        expect(roll.effects[0]).toMatch(/^A new CSK is published/);
        const { body: withdrawal } = await zone.tryOnly('POST', '/withdraw');
        expect(withdrawal.effects.at(-1)).toMatch(/^The zone becomes serial \d+\.$/);
      }
    } finally {
      isDone = true;
      await writing;
    }
  });

  it('of an abort asks the parent whichever key of an algorithm is named', async () => {
    const zone = zoneOf('split');
    const life = { signature_validity_days: 14, signature_refresh_days: 5 };
    for (const [name, algorithm] of [
      ['two', 'ecdsap256sha256'],
      ['other-two', 'ed25519'],
    ]) {
      const policy = { name, algorithm, split_keys: true, ...life };
      await service.must('POST', '/dnssec-policies', policy);
    }
    const old = await zone.sign('two');
    const text = await zone.configure({ policy_name: 'other-two' });
    expect(text).toContain('A new KSK and ZSK of ed25519 are published beside keys');
    await zone.make('PUT', '', { policy_name: 'other-two' });
    const fresh = await zone.tagIn('published');
    await zone.serveUnasked(15);
    for (const role of ['zsk', 'ksk']) {
      const relied = await zone.refused('POST', '/rollover/abort', { role });
      expect(relied).toMatchObject({ status: 409, code: 'DNSSEC_DS_PUBLISHED' });
      expect(relied.skippable.danger).toMatch(
        new RegExp(`^Where the DS of key ${fresh} is the only one .* has the DS of key ${old} and`),
      );
    }
  });
});
