/** A-labels of internationalised names as people read them (RFC 3492). */

const [base, maxDigit, skew, damp] = [36, 35, 38, 700];
const [minThreshold, maxThreshold, firstBias, firstCode] = [1, 26, 72, 128];

function adapted(delta: number, points: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? damp : 2));
  rest += Math.floor(rest / points);
  let bias = 0;
  for (; rest > ((base - minThreshold) * maxThreshold) / 2; bias += base) {
    rest = Math.floor(rest / (base - minThreshold));
  }
  return bias + Math.floor(((maxDigit + 1) * rest) / (rest + skew));
}

/** What stands behind `xn--`; undefined where that encodes nothing. */
export function decoded(text: string): string | undefined {
  const end = text.lastIndexOf('-');
  const points = Array.from(text.slice(0, Math.max(0, end)), (each) => each.codePointAt(0)!);
  let [code, index, bias] = [firstCode, 0, firstBias];
  for (let at = end + 1; at < text.length; index++) {
    const before = index;
    for (let [weight, k] = [1, base]; ; k += base) {
      const digit = Number.parseInt(shifted(text[at++]), base);
      index += digit * weight;
      if (!(index <= Number.MAX_SAFE_INTEGER)) return undefined;
      const threshold = Math.min(Math.max(k - bias, minThreshold), maxThreshold);
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const length = points.length + 1;
    bias = adapted(index - before, length, before === 0);
    code += Math.floor(index / length);
    index %= length;
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
    points.splice(index, 0, code);
  }
  return String.fromCodePoint(...points);
}

/** Letters are the digits 0 to 25 there, 0 to 9 those from 26 on; here it is the other way round. */
function shifted(digit = ''): string {
  if (/^[a-z]$/i.test(digit)) {
    const value = digit.toLowerCase().charCodeAt(0) - 97;
    return value.toString(base);
  }
  return /^\d$/.test(digit) ? (Number(digit) + 26).toString(base) : '';
}

/** A text with its A-labels in Unicode; undefined where it has none. */
export function unicodeText(text: string): string | undefined {
  const labels = /(?<![\w-])xn--([a-z\d-]{1,59})(?![\w-])/gi;
  const found = text.replace(labels, (label, rest) => decoded(rest.toLowerCase()) ?? label);
  return found === text ? undefined : found;
}
