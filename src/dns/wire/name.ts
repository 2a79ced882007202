/**
 * Domain names inside a message: labels and compression pointers (RFC 1035 4.1.4).
 *
 * A pointer must lead to a byte before the run of labels that it ends, so that every jump goes
 * strictly backwards and no loop exists. Refused besides: label types 01 and 10 (RFC 6891 5),
 * labels and names over their limits, names that end outside the message, and more pointers than a
 * name can have labels, which bounds the work for one name whatever the message holds.
 */
import { limits } from '../../base/limits.ts';
import { WireError } from '../error.ts';
import { emptyName, keyScratch, type NameKey, prependLabel } from '../name.ts';

/** A name of 255 bytes has at most 127 labels; honest compression needs one pointer for each. */
const pointersPerName = 127;

/** A name read from a message, and the byte behind it in the message. */
export interface NameInMessage {
  readonly name: NameKey;
  readonly next: number;
}

/** Reads the name that starts at byte `at` of `message`; its letters become lower-case. */
export function readName(message: Buffer, at: number): NameInMessage {
  let position = at;
  let runStart = at;
  let bytes = 1;
  let pointers = 0;
  let next = -1;
  let keyStart = keyScratch.length;
  for (;;) {
    const head = byteAt(message, position);
    if (head === 0) break;
    if (head <= limits.labelBytes) {
      const end = position + 1 + head;
      if (end > message.length) throw new WireError('a name ends outside the message');
      bytes += 1 + head;
      if (bytes > limits.nameBytes) {
        throw new WireError(`a name has more than ${limits.nameBytes} bytes`);
      }
      keyStart = prependLabel(message, position + 1, end, keyStart);
      position = end;
    } else {
      const target = pointerAt(message, position, head);
      if (target >= runStart) throw new WireError('a compression pointer does not lead backwards');
      if (++pointers > pointersPerName) {
        throw new WireError(`a name has more than ${pointersPerName} compression pointers`);
      }
      if (next < 0) next = position + 2;
      position = target;
      runStart = target;
    }
  }
  if (next < 0) next = position + 1;
  if (bytes === 1) return { name: emptyName, next };
  return { name: keyScratch.latin1Slice(keyStart) as NameKey, next };
}

function byteAt(message: Buffer, position: number): number {
  const byte = message[position];
  if (byte === undefined) throw new WireError('a name ends outside the message');
  return byte;
}

/** The offset that the pointer at `position`, whose first byte is `head`, leads to. */
function pointerAt(message: Buffer, position: number, head: number): number {
  if (head < 0xc0) throw new WireError('a label is of a type that does not exist');
  return ((head & 0x3f) << 8) | byteAt(message, position + 1);
}
