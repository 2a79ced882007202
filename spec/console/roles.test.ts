/**
 * What the console draws for each role that an operation of the interface needs, and for lesser ones: exactly what
 * `/permissions` allows. The same requests made directly agree.
 */
import { expect, it } from 'vitest';
import { rows } from '../interface-5/rows.ts';
import { beforeConsole, type ConsoleBrowser, type Person } from '../support/browser.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { callLocally, tokenOf } from '../support/raw-http.ts';
import type { RunningService } from '../support/service.ts';

const zone = 'right.example';
/** It is signed, and its KSK is being rolled; who holds anything in the other zone alone holds it here too. */
const signedZone = 'rolling.example';
const soa = { mname: 'ns1.example.com', rname: 'hostmaster@example.com' };

interface Held {
  readonly actions: readonly string[];
  readonly whole_zone: readonly string[];
}

/** What a caller holds in all zones, and in the zone of these tests. */
interface Permissions {
  readonly all: Held;
  readonly here: Held;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

interface Control {
  readonly screen: string;
  readonly role: 'button' | 'link';
  readonly name: string;
  readonly isAllowed: (held: Permissions) => boolean;
  /** The requests that it leads to, any of which may do; none of them changes anything. */
  readonly asks: (ids: Ids) => readonly Asked[];
}

/** Of records: www A, other A, text TXT. */
type Ids = Readonly<Record<string, number>>;

const everywhere =
  (...needed: string[]) =>
  ({ all }: Permissions) =>
    needed.every((action) => all.actions.includes(action));
const here =
  (...needed: string[]) =>
  ({ here: held }: Permissions) =>
    needed.every((action) => held.actions.includes(action));
const whole =
  (...needed: string[]) =>
  ({ here: held }: Permissions) =>
    needed.every((action) => held.whole_zone.includes(action));
const both =
  (...each: ((held: Permissions) => boolean)[]) =>
  (held: Permissions) =>
    each.every((isAllowed) => isAllowed(held));
const get = (path: string) => () => [{ method: 'GET', path }];
const send = (method: string, path: string, body: object) => () => [{ method, path, body }];

const path = `/zones/${zone}`;
const records = `${path}/records`;
const imported = `www IN A 192.0.2.1\n`;
const seesSecondaries = ({ all }: Permissions) =>
  all.actions.includes('secondary:read') || all.actions.includes('secondary:manage');
const manages = everywhere('access:manage');
const controls: readonly Control[] = [
  {
    screen: '/zones',
    role: 'link',
    name: 'Secondaries',
    isAllowed: seesSecondaries,
    asks: get('/secondaries/ns2'),
  },
  {
    screen: '/zones',
    role: 'link',
    name: 'Bin',
    isAllowed: everywhere('zone:create'),
    asks: get('/zones?deleted=true'),
  },
  {
    screen: '/zones',
    role: 'link',
    name: zone,
    isAllowed: ({ here: held }) => held.actions.length > 0,
    asks: get(path),
  },
  {
    screen: '/zones',
    role: 'button',
    name: 'New zone',
    isAllowed: everywhere('zone:create'),
    asks: send('POST', '/zones', { name: 'new.example', ...soa, dry_run: true }),
  },
  {
    screen: '/zones',
    role: 'link',
    name: 'Import a zone',
    isAllowed: (held) =>
      everywhere('zone:create')(held) && held.all.whole_zone.includes('record:create'),
    asks: send('POST', '/zones/new.example/import', {
      content: `@ IN SOA ns1.example.com. hostmaster.example.com. 1 2 3 4 5\n${imported}`,
      mode: 'append',
      create: true,
      dry_run: true,
    }),
  },
  {
    screen: records,
    role: 'link',
    name: 'Text',
    isAllowed: whole('record:read'),
    asks: get(`${path}/export`),
  },
  {
    screen: records,
    role: 'link',
    name: 'Compare',
    isAllowed: whole('record:read'),
    asks: get(`${path}/versions/diff?from=1`),
  },
  {
    screen: records,
    role: 'link',
    name: 'DNSSEC',
    isAllowed: here('dnssec:read'),
    asks: get(`${path}/dnssec`),
  },
  {
    screen: `${path}/dnssec`,
    role: 'button',
    name: 'Sign the zone',
    isAllowed: here('dnssec:read', 'dnssec:manage'),
    asks: send('POST', `${path}/dnssec`, {}),
  },
  {
    screen: records,
    role: 'button',
    name: 'New record',
    isAllowed: here('record:create'),
    asks: () =>
      ['new', 'other'].flatMap((name) =>
        [
          ['A', '192.0.2.77'],
          ['TXT', 'more words'],
        ].map(([type, value]) => {
          const body = { zone_name: zone, name, type, value, dry_run: true };
          return { method: 'POST', path: '/records', body };
        }),
      ),
  },
  {
    screen: `${path}/timeline`,
    role: 'button',
    name: 'Roll back to here',
    isAllowed: both(here('zone:update'), whole('record:read', 'record:create', 'record:delete')),
    asks: send('POST', `${path}/versions/2/rollback`, { dry_run: true }),
  },
  {
    screen: `${path}/settings`,
    role: 'button',
    name: 'Preview',
    isAllowed: here('zone:update'),
    asks: send('PUT', path, { refresh: 1234, dry_run: true }),
  },
  {
    screen: `${path}/settings`,
    role: 'button',
    name: 'Delete the zone…',
    isAllowed: here('zone:delete'),
    asks: () => [{ method: 'DELETE', path: `${path}?dry_run=true` }],
  },
  {
    screen: '/secondaries',
    role: 'button',
    name: 'New secondary',
    isAllowed: everywhere('secondary:manage'),
    asks: send('POST', '/secondaries', {}),
  },
  {
    screen: '/secondaries',
    role: 'button',
    name: 'Disable ns2',
    isAllowed: everywhere('secondary:manage'),
    asks: send('PUT', '/secondaries/ns2', {}),
  },
  ...(
    [
      ['New token', '/tokens'],
      ['New role', '/roles'],
      ['New TSIG key', '/tsig-keys'],
    ] as const
  ).map(([name, at]): Control => {
    const asks = send('POST', at, {});
    return { screen: '/access', role: 'button', name, isAllowed: manages, asks };
  }),
  {
    screen: '/access',
    role: 'button',
    name: 'Show key fixed.example',
    isAllowed: manages,
    asks: get('/tsig-keys/fixed.example'),
  },
  {
    screen: '/access?role=fixed',
    role: 'button',
    name: 'New grant',
    isAllowed: manages,
    asks: send('POST', '/roles/fixed/grants', {}),
  },
  {
    screen: '/bin',
    role: 'link',
    name: 'Purge gone.example',
    isAllowed: everywhere('zone:create', 'zone:delete'),
    asks: () => [{ method: 'POST', path: '/zones/gone.example/purge?dry_run=true' }],
  },
];

/**
 * Roles that just suffice for an operation, and those that do not; in an ordinary run an empty one, one of the
 * limited and some of the others.
 */
function rolesOfMatrix(): readonly (readonly [name: string, grants: readonly object[]])[] {
  const actions = ['record:read', 'record:create', 'record:update', 'record:delete'];
  const limited = { zone_name: zone, actions };
  const sufficient = Object.values(rows).flatMap(({ right }) => (right ? [right] : []));
  const elsewhere = [
    [{ zone_name: 'wrong.example', actions: ['zone:read', 'zone:update', ...actions] }],
    [{ ...limited, record_name_pattern: 'other' }],
    [{ ...limited, record_types: 'TXT' }],
  ];
  const distinct = new Map(sufficient.map((grants) => [JSON.stringify(grants), grants]));
  const managesKeys = [{ zone_name: zone, actions: ['dnssec:read', 'dnssec:manage'] }];
  const sampled = [...sampleOf(elsewhere, 1), ...sampleOf([...distinct.values()], 3)];
  const found = [[], managesKeys, ...sampled].map(inBothZones);
  return found.map((grants, index) => [`role-${index}`, grants] as const);
}

function inBothZones(grants: readonly object[]): readonly object[] {
  return grants.flatMap((grant) =>
    'zone_name' in grant && grant.zone_name === zone
      ? [grant, { ...grant, zone_name: signedZone }]
      : [grant],
  );
}

needsPeers('chromium')('what the console draws', () => {
  let service: RunningService;
  let browser: ConsoleBrowser;
  let admin: string;
  /** The tag of the key that the roll has published. */
  let freshTag = 0;
  const ids: Record<string, number> = {};
  const local = (method: string, path: string, body?: object) =>
    callLocally(service, method, path, body);
  beforeConsole(async (started) => {
    ({ service, browser, token: admin } = started);
    for (const name of [zone, 'wrong.example', 'gone.example']) {
      await local('POST', '/zones', { name, ...soa });
    }
    await local('DELETE', '/zones/gone.example');
    freshTag = await rollKey();
    for (const [name, type, value] of [
      ['www', 'A', '192.0.2.1'],
      ['other', 'A', '192.0.2.2'],
      ['text', 'TXT', 'words'],
    ] as const) {
      const { record } = await local('POST', '/records', { zone_name: zone, name, type, value });
      ids[`${name} ${type}`] = record.id;
    }
    await local('POST', '/secondaries', { name: 'ns2', address: '127.0.0.1:1' });
    await local('POST', '/roles', { name: 'fixed' });
    await local('POST', '/tsig-keys', { name: 'fixed.example', role_name: 'fixed' });
  });

  /** Signs a zone by two keys and begins to roll one of them. */
  async function rollKey(): Promise<number> {
    const at = `/zones/${signedZone}/dnssec`;
    await local('POST', '/zones', { name: signedZone, ...soa });
    await local('POST', '/dnssec-policies', { name: 'pair', split_keys: true });
    await local('POST', at, { parent_ns_addrs: ['127.0.0.1:1'], policy_name: 'pair' });
    const { keys } = await local('POST', `${at}/rollover`, { role: 'ksk' });
    return keys.find(({ state }: { state: string }) => state === 'published').key_tag;
  }

  async function ask(secret: string, { method, path, body }: Asked): Promise<number> {
    const headers: Record<string, string> = { authorization: `Bearer ${secret}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const url = `http://127.0.0.1:${service.apiPort}${path}`;
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return (await fetch(url, init)).status;
  }

  /** Whether any of them is neither forbidden nor hidden. */
  async function isLetThrough(secret: string, asked: readonly Asked[]): Promise<boolean> {
    for (const each of asked) {
      const status = await ask(secret, each);
      if (status !== 403 && status !== 404) return true;
    }
    return false;
  }

  async function held(secret: string): Promise<Permissions> {
    const headers = { authorization: `Bearer ${secret}` };
    const url = `http://127.0.0.1:${service.apiPort}/permissions`;
    const answer = (await (await fetch(url, { headers })).json()) as {
      all_zones: Held;
      zones: (Held & { zone_name: string })[];
    };
    const own = answer.zones.find(({ zone_name: name }) => name === zone);
    return { all: answer.all_zones, here: own ?? answer.all_zones };
  }

  /** Of each record and action whether it is offered. */
  function recordControls(): Control[] {
    return Object.entries(ids).flatMap(([what, id]) => {
      const [name = '', type] = what.split(' ');
      const value = type === 'A' ? '192.0.2.99' : 'others';
      const at = `/records/${id}`;
      const common = { screen: records, role: 'button', isAllowed: () => true } as const;
      return [
        {
          ...common,
          name: `Edit ${what}`,
          asks: send('PUT', at, { name, type, value, dry_run: true }),
        },
        {
          ...common,
          name: `Delete ${what}`,
          asks: () => [{ method: 'DELETE', path: `${at}?dry_run=true` }],
        },
      ];
    });
  }

  /** Changes of keys have no dry run: they are asked for with a body that none of them takes. */
  function keyControls(): Control[] {
    const screen = `/zones/${signedZone}/dnssec`;
    const manages = here('dnssec:read', 'dnssec:manage');
    const each = [
      ['Ask the parent now', 'POST', '/check-ds', here('dnssec:read')],
      ['Roll the ZSK…', 'POST', '/rollover', manages],
      [`Promote key ${freshTag}…`, 'POST', '/rollover/promote', manages],
      [`Abort the roll of key ${freshTag}…`, 'POST', '/rollover/abort', manages],
      ['Make all signatures again…', 'POST', '/sign', manages],
      ['Ask the parent to remove the DS…', 'POST', '/withdraw', manages],
      ['Stop signing…', 'DELETE', '', manages],
    ] as const;
    return each.map(([name, method, below, isAllowed]) => {
      const asks = send(method, `${screen}${below}`, { wrong: true });
      return { screen, role: 'button', name, isAllowed, asks };
    });
  }

  /** What is folded counts. */
  const drawnOn = ({ page }: Person, { role, name }: Control) =>
    page.getByRole(role, { name, exact: true, includeHidden: true }).count();

  async function check(secret: string): Promise<void> {
    const person = await browser.person();
    await person.logIn(secret);
    const permissions = await held(secret);
    const all = [...controls, ...recordControls(), ...keyControls()];
    for (const screen of new Set(all.map((each) => each.screen))) {
      await person.open(screen);
      await person.page.getByRole('heading', { level: 1 }).waitFor();
      const busy = () => person.page.locator('[aria-busy="true"]').count();
      await expect.poll(busy).toBe(0);
      for (const control of all.filter((each) => each.screen === screen)) {
        const { name } = control;
        const isDrawn = (await drawnOn(person, control)) > 0;
        const said = recordControls().some((each) => each.name === name)
          ? // Which records these are is said by the grants, of which /permissions knows no names.
            (await isLetThrough(secret, control.asks(ids))) && (await sees(secret, name))
          : control.isAllowed(permissions);
        expect({ screen, name, isDrawn }).toEqual({ screen, name, isDrawn: said });
        const isThrough = await isLetThrough(secret, control.asks(ids));
        // What is allowed may stand where the caller reads nothing; nothing is drawn that is refused.
        if (isDrawn) expect({ screen, name, isThrough }).toEqual({ screen, name, isThrough: true });
        else if (!isHiddenBy(control, permissions)) {
          expect({ screen, name, isThrough }).toEqual({ screen, name, isThrough: false });
        }
      }
    }
    expect(person.complaints).toEqual([]);
    await person.page.context().close();
  }

  async function sees(secret: string, name: string): Promise<boolean> {
    const id = ids[name.replace(/^\w+ /, '')]!;
    return (await ask(secret, { method: 'GET', path: `/records/${id}` })) === 200;
  }

  /** Whether it stands on what the caller may not read, though it may be done without. */
  function isHiddenBy({ screen, name }: Control, permissions: Permissions): boolean {
    if (screen.endsWith('/dnssec')) return !here('dnssec:read')(permissions);
    if (screen === '/bin') return !everywhere('zone:create')(permissions);
    return /^(Edit|Delete) /.test(name);
  }

  it.each(rolesOfMatrix())('is what is allowed to %s, %j', async (name, grants) => {
    await check(await tokenOf(service, name, grants));
  });

  it('is everything for an administrator', async () => {
    await check(admin);
    const permissions = await held(admin);
    expect(controls.filter(({ isAllowed }) => !isAllowed(permissions))).toEqual([]);
  });
});
