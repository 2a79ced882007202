/**
 * An external DNS controller as small as it can be: it speaks the webhook as the real one does (negotiation,
 * records, adjustment, changes) and keeps ownership in TXT records beside what it makes.
 *
 * Names of ownership records are `a-`, `aaaa-` or `cname-` before the name, their values are quoted. Only
 * what it owns is replaced or deleted. scripts/external-dns runs the real controller.
 */

const mediaType = 'application/external.dns.webhook+json;version=1';

export interface WebhookEndpoint {
  readonly dnsName: string;
  readonly targets: readonly string[];
  readonly recordType: string;
  readonly recordTTL?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly setIdentifier?: string;
  readonly providerSpecific?: readonly { readonly name: string; readonly value: string }[];
}

export interface WebhookChanges {
  readonly create: readonly WebhookEndpoint[];
  readonly updateOld: readonly WebhookEndpoint[];
  readonly updateNew: readonly WebhookEndpoint[];
  readonly delete: readonly WebhookEndpoint[];
}

/** A status with which the real controller would try again later (500 to 510) or end. */
export class WebhookFailure extends Error {
  readonly status: number;
  readonly ends: boolean;

  constructor(status: number, text: string) {
    super(`status ${status}: ${text}`);
    this.status = status;
    this.ends = status < 500 || status > 510;
  }
}

const keyOf = ({ dnsName, recordType }: WebhookEndpoint) => `${recordType} ${dnsName}`;

function isSame(current: WebhookEndpoint, wanted: WebhookEndpoint): boolean {
  const sorted = ({ targets }: WebhookEndpoint) => [...targets].sort().join(' ').toLowerCase();
  const isTtlSame = wanted.recordTTL === undefined || wanted.recordTTL === current.recordTTL;
  return isTtlSame && sorted(current) === sorted(wanted);
}

export class Controller {
  readonly #url: string;
  readonly #owner: string;
  /** From negotiation. */
  domains: readonly string[] = [];

  constructor(url: string, owner = 'me') {
    this.#url = url;
    this.#owner = owner;
  }

  async negotiate(): Promise<readonly string[]> {
    const filter = await this.#send<{ include: string[] }>('GET', '/');
    this.domains = filter.include;
    return this.domains;
  }

  records(): Promise<readonly WebhookEndpoint[]> {
    return this.#send('GET', '/records');
  }

  adjust(endpoints: readonly WebhookEndpoint[]): Promise<readonly WebhookEndpoint[]> {
    return this.#send('POST', '/adjustendpoints', endpoints);
  }

  async apply(changes: Partial<WebhookChanges>): Promise<void> {
    await this.#send('POST', '/records', changes);
  }

  /** One round: what differs is posted and returned; undefined when nothing does. */
  async sync(wanted: readonly WebhookEndpoint[]): Promise<WebhookChanges | undefined> {
    const current = await this.records();
    const adjusted = (await this.adjust(wanted)).filter(({ dnsName }) => this.#manages(dnsName));
    const changes = this.#plan(current, adjusted);
    const isNothing = Object.values(changes).every((list) => list.length === 0);
    if (isNothing) return undefined;
    await this.apply(changes);
    return changes;
  }

  #manages(name: string): boolean {
    return this.domains.some((domain) => name === domain || name.endsWith(`.${domain}`));
  }

  #ownership(endpoint: WebhookEndpoint): WebhookEndpoint {
    return {
      dnsName: `${endpoint.recordType.toLowerCase()}-${endpoint.dnsName}`,
      targets: [
        `"heritage=external-dns,external-dns/owner=${this.#owner},external-dns/resource=test"`,
      ],
      recordType: 'TXT',
      labels: { ownedRecord: endpoint.dnsName },
    };
  }

  #plan(current: readonly WebhookEndpoint[], wanted: readonly WebhookEndpoint[]): WebhookChanges {
    const there = new Map(current.map((endpoint) => [keyOf(endpoint), endpoint]));
    const isOwned = (endpoint: WebhookEndpoint) => {
      const note = this.#ownership(endpoint);
      return there.get(keyOf(note))?.targets.includes(note.targets[0]!) ?? false;
    };
    const changes = {
      create: [] as WebhookEndpoint[],
      updateOld: [] as WebhookEndpoint[],
      updateNew: [] as WebhookEndpoint[],
      delete: [] as WebhookEndpoint[],
    };
    for (const endpoint of wanted) {
      const before = there.get(keyOf(endpoint));
      if (before === undefined) changes.create.push(endpoint, this.#ownership(endpoint));
      else if (isOwned(before) && !isSame(before, endpoint)) {
        const note = this.#ownership(endpoint);
        changes.updateOld.push(before, there.get(keyOf(note))!);
        changes.updateNew.push(endpoint, note);
      }
    }
    const kept = new Set(wanted.map(keyOf));
    for (const endpoint of current) {
      if (endpoint.recordType === 'TXT' || kept.has(keyOf(endpoint)) || !isOwned(endpoint))
        continue;
      changes.delete.push(endpoint, there.get(keyOf(this.#ownership(endpoint)))!);
    }
    return changes;
  }

  async #send<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(path === '/records' && method === 'POST' ? {} : { accept: mediaType }),
        ...(body === undefined ? {} : { 'content-type': mediaType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const expected = method === 'POST' && path === '/records' ? 204 : 200;
    if (response.status !== expected) throw new WebhookFailure(response.status, text);
    if (response.headers.get('content-type') !== mediaType) {
      throw new Error(`wrong content type: ${response.headers.get('content-type')}`);
    }
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }
}
