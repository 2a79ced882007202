/** The records of a zone as lines, from dig and from the API, in a form that can be compared. */
import type { RunningSecondary } from './secondaries.ts';
import type { RunningService } from './service.ts';

/** `name ttl type rdata` of every record the secondary sends by AXFR, sorted, the SOA left out. */
export function recordsServed(secondary: RunningSecondary): string[] {
  return secondary
    .dig(secondary.zone, 'AXFR')
    .map((line) => {
      const [name, ttl, , type, ...rdata] = line.split(/\s+/);
      return `${name} ${ttl} ${type} ${rdata.join(' ')}`;
    })
    .filter((line) => line.split(' ')[2] !== 'SOA')
    .sort();
}

interface ApiRecord {
  readonly name: string;
  readonly ttl: number;
  readonly type: string;
  readonly value: string | string[];
  readonly priority: number | null;
}

/** The same of every record the API lists. */
export async function recordsListed(service: RunningService, zone: string): Promise<string[]> {
  const lines: string[] = [];
  while (true) {
    const page = await service.must(
      'GET',
      `/records?zone_name=${zone}&limit=1000&offset=${lines.length}`,
    );
    for (const record of page.items as ApiRecord[]) lines.push(lineOf(record));
    if (page.items.length === 0 || lines.length >= page.pagination.total) break;
  }
  return lines.sort();
}

function lineOf({ name, ttl, type, value, priority }: ApiRecord): string {
  const texts = typeof value === 'string' ? [value] : value;
  const rdata = type === 'TXT' ? texts.map((text) => `"${text}"`).join(' ') : texts.join(' ');
  return `${name} ${ttl} ${type} ${priority === null ? '' : `${priority} `}${rdata}`;
}
