/**
 * The records that every row of the benchmark writes: a mix as zones have it, drawn from one seed. A record follows
 * from its number alone, so that several clients, and several processes, make parts of the same zone.
 *
 * Twenty records in a row are a group: hosts with addresses of both families, aliases, mail, texts with quotes and
 * escapes, services, certificate policy, and a delegation with its glue. Names have one to five labels.
 */
export interface MixedRecord {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly value: string;
  readonly priority?: number;
}

const groupSize = 20;
const sites = ['fra', 'ams.eu', 'iad.us', 'syd.ap', 'prod', 'b.staging', 'corp.lan'];
const kinds = ['web', 'db', 'cache', 'node', 'vm', 'build-agent', 'printer'];
const ttls = [60, 300, 3600, 86_400];

/** A number of 32 bits that looks random and follows from two others (splitmix). */
function draw(seed: number, index: number): number {
  let bits = (Math.imul(index, 0x9e3779b9) + Math.imul(seed, 0x85ebca6b)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

/** Gives the records of a zone by their numbers, from 0 on. */
export function mixFor(zone: string, seed: number): (index: number) => MixedRecord {
  return (index) => {
    const group = Math.floor(index / groupSize);
    const drawn = draw(seed, group);
    const site = sites[drawn % sites.length]!;
    const ttl = ttls[(drawn >>> 8) % ttls.length]!;
    const host = (number: number) =>
      `${kinds[(drawn >>> (number % 16)) % kinds.length]}${number}-${group}.${site}`;
    const of = (name: string, type: string, value: string, priority?: number): MixedRecord => {
      return { name, type, ttl, value, ...(priority !== undefined && { priority }) };
    };
    const own = `g${group}`;
    const slot = index % groupSize;
    const address = draw(seed, index);
    const ipv4 = `10.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
    const ipv6 = `2001:db8:${(address >>> 16).toString(16)}::${(address & 0xffff).toString(16)}`;
    // Eight addresses at hosts of their own; the first three have both families.
    if (slot < 8) return of(host(slot), 'A', ipv4);
    if (slot < 11) return of(host(slot - 8), 'AAAA', ipv6);
    switch (slot) {
      case 11:
        return of(`www.${own}`, 'CNAME', `${host(0)}.${zone}.`);
      case 12:
        return of(
          `${own}-${address.toString(36)}.cdn`,
          'CNAME',
          `edge.provider-${group % 9}.example.`,
        );
      case 13:
        return of(`${own}.mail`, 'MX', `${host(1)}.${zone}.`, 10);
      case 14:
        return of(`${own}.mail`, 'TXT', `"v=spf1 ip4:${ipv4}/32 include:_spf.example.net -all"`);
      case 15:
        return of(`_note.${own}`, 'TXT', `"says \\"${group}\\"; a \\\\ and \\195\\169" "second"`);
      case 16:
        return of(`_sip._tcp.${own}`, 'SRV', `60 5060 ${host(2)}.${zone}.`, 10);
      case 17:
        return of(`${own}.mail`, 'CAA', `0 issue "ca-${group % 5}.example; account=${group}"`);
      case 18:
        return of(`d${group}.child`, 'NS', `ns1.d${group}.child.${zone}.`);
      default:
        return of(`ns1.d${group}.child`, 'A', ipv4);
    }
  };
}

/** One record as a line of a master file. */
export function masterLine({ name, type, ttl, value, priority }: MixedRecord): string {
  return `${name} ${ttl} IN ${type} ${priority === undefined ? '' : `${priority} `}${value}`;
}

/** A whole master file, with a SOA and name servers of its own. */
export function masterFile(zone: string, count: number, seed: number): string {
  const record = mixFor(zone, seed);
  const lines = [
    `$ORIGIN ${zone}.`,
    `@ 3600 IN SOA ns1.${zone}. hostmaster.${zone}. 1 300 60 3600000 3600`,
    `@ 3600 IN NS ns1.${zone}.`,
    'ns1 3600 IN A 192.0.2.1',
  ];
  for (let index = 0; index < count; index++) lines.push(masterLine(record(index)));
  return `${lines.join('\n')}\n`;
}
