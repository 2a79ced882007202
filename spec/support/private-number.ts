/**
 * The private number in a `.private` file of BIND. Programs may leave its leading zero bytes out, so that the same
 * number can have two texts.
 */
export function privateNumber(text: string): bigint | undefined {
  const base64 = /^PrivateKey: (.*)$/m.exec(text)?.[1];
  if (base64 === undefined) return undefined;
  return BigInt(`0x${Buffer.from(base64, 'base64').toString('hex')}`);
}
