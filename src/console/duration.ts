/** Lengths of time, in the two largest units that they have. */
const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

export const dayMs = 86_400_000;

/** `1 h 5 min`. */
export function durationText(seconds: number): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** Those that are longer are in larger units. */
const longMs = 10_000;

/** `90 ms`, or `1 h 5 min`. */
export function delayText(ms: number): string {
  return ms < longMs ? `${ms} ms` : durationText(ms / 1000);
}
