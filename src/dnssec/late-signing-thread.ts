/** A thread that makes signatures while the one that ordered them goes on (late-signing.ts). */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { SigningKey } from './key-pair.ts';
import { OrderBoard, type SigningThreadData } from './order-board.ts';

const { memory, keys } = workerData as SigningThreadData;

/** Keys by their numbers: each was sent before the first order that names it. */
function keysSent(): (number: number) => SigningKey {
  const known: SigningKey[] = [];
  return (number) => {
    while (known.length <= number) {
      const received = receiveMessageOnPort(keys);
      if (received === undefined) throw new Error(`key ${number} was not sent`);
      known.push(received.message as SigningKey);
    }
    return known[number]!;
  };
}

new OrderBoard(memory).serve(keysSent());
