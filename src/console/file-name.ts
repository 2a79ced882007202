/** What the zone of a zone file is probably called. */

const origin = /^\$ORIGIN\s+(\S+)\.\s*(?:;.*)?$/im;
const soaOwner = /^(\S+)\.\s+(?:\d+\s+)?(?:IN\s+)?(?:\d+\s+)?SOA\s/im;
const fileName = /^(?:db\.)?(.+?)(?:\.(?:zone|db|hosts|txt|signed))?$/i;

/**
 * From its first $ORIGIN, else the owner of its SOA, else the name of the file as it is usual (`db.example.com`,
 * `example.com.zone`); '' when nothing says it. It is a proposal: a person reads it.
 */
export function zoneNameOf(text: string, file = ''): string {
  const named = origin.exec(text)?.[1] ?? soaOwner.exec(text)?.[1];
  if (named !== undefined) return named.toLowerCase();
  const [, found = ''] = fileName.exec(file) ?? [];
  return found.includes('.') ? found.toLowerCase() : '';
}
