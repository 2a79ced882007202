/**
 * Bytes in messages between threads: structured clones, in which Buffers go in memory of their own and arrive as
 * plain Uint8Arrays.
 */
import { MessagePort } from 'node:worker_threads';

/** Bytes of memory that small pieces of one message share. */
const packedBytes = 16 * 1024;

/**
 * Has a message ready to be sent, in place: bytes that are views of larger memory, such as the pool that small
 * Buffers come from, are replaced by equal ones in memory of the message. All of the memory would be cloned else.
 */
export function packed<Message extends object>(message: Message): Message {
  let memory = new Uint8Array(0);
  let used = 0;
  replaceBytes(message, (bytes) => {
    const { byteLength } = bytes;
    if (byteLength === bytes.buffer.byteLength) return bytes;
    if (used + byteLength > memory.length) {
      memory = new Uint8Array(Math.max(packedBytes, byteLength));
      used = 0;
    }
    memory.set(bytes, used);
    used += byteLength;
    return Buffer.from(memory.buffer, used - byteLength, byteLength);
  });
  return message;
}

/**
 * Makes Buffers of the bytes in a message that has come from another thread, in place: they arrive as
 * plain Uint8Arrays.
 */
export function withBuffers<Message extends object>(message: Message): Message {
  replaceBytes(message, ({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return message;
}

function replaceBytes(held: object, replacing: (bytes: Uint8Array) => Uint8Array): void {
  if (Array.isArray(held)) {
    // By index: the keys of an array are made as texts first.
    for (let index = 0; index < held.length; index++) replaceAt(held, index, replacing);
  } else if (!ArrayBuffer.isView(held) && !(held instanceof MessagePort)) {
    for (const key in held) replaceAt(held as Record<string, unknown>, key, replacing);
  }
}

function replaceAt<Key extends string | number>(
  held: Record<Key, unknown>,
  key: Key,
  replacing: (bytes: Uint8Array) => Uint8Array,
): void {
  const value = held[key];
  if (typeof value !== 'object' || value === null) return;
  if (value instanceof Uint8Array) held[key] = replacing(value);
  else replaceBytes(value, replacing);
}
