/** The thread that makes signatures while the one that ordered them goes on (late-signing.ts). */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type KeyForThread, OrderBoard, type SigningThreadData } from './order-board.ts';

const { memory, keys } = workerData as SigningThreadData;

/** Keys by their numbers: each was sent before the first order that names it. */
function keysSent(): (number: number) => KeyForThread {
  const known: KeyForThread[] = [];
  return (number) => {
    while (known.length <= number) {
      const received = receiveMessageOnPort(keys);
      if (received === undefined) throw new Error(`key ${number} was not sent`);
      known.push(received.message as KeyForThread);
    }
    return known[number]!;
  };
}

new OrderBoard(memory).serve(keysSent());
