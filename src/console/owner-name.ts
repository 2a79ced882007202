/**
 * The owner within its zone, as people write it and as requests name it. One whose text ends in the name of the zone,
 * as of `www.example.com.example.com.`, stays absolute: without its dot it would be another owner.
 */
export function relativeName(name: string, zone: string): string {
  const apex = `${zone}.`;
  if (name === apex) return '@';
  if (!name.endsWith(`.${apex}`)) return name;
  const owner = name.slice(0, -apex.length - 1);
  return owner === zone || owner.endsWith(`.${zone}`) ? name : owner;
}
