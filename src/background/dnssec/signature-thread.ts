/**
 * A thread that makes signatures and does nothing else: signing in one's own thread costs half of what
 * it costs to have each signature made by the threads of node:crypto.
 */
import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayToOthers } from '../../base/gentle-thread.ts';
import { assert } from '../../base/problem.ts';
import { signerOf } from '../../dnssec/key-pair.ts';
import type { SignatureDelivery, SignatureKey, SignatureOrder } from './signature-protocol.ts';

const port = parentPort;
assert(port !== null, 'this file is the code of a thread');
giveWayToOthers();

const signers = (workerData as readonly SignatureKey[]).map(({ dnskey, privateKey }) => {
  const key = createPrivateKey({ key: Buffer.from(privateKey), format: 'der', type: 'pkcs8' });
  return signerOf({ dnskey: Buffer.from(dnskey), privateKey: key });
});

/** Signs all of an order, one signature after the other. */
function signaturesOf({ key, data, ends }: SignatureOrder): Uint8Array {
  const signer = signers[key]!;
  const octets = Buffer.from(data.buffer, data.byteOffset, data.length);
  let signatures = new Uint8Array(0);
  let start = 0;
  for (const [index, end] of ends.entries()) {
    const signature = signer.sign(octets.subarray(start, end));
    // All signatures of a key have one length.
    if (index === 0) signatures = new Uint8Array(signature.length * ends.length);
    signatures.set(signature, index * signature.length);
    start = end;
  }
  return signatures;
}

port.on('message', (order: SignatureOrder) => {
  const { number } = order;
  try {
    const signatures = signaturesOf(order);
    const delivery: SignatureDelivery = { number, signatures, failure: '' };
    port.postMessage(delivery, [signatures.buffer as ArrayBuffer]);
  } catch (error) {
    const delivery: SignatureDelivery = { number, signatures: undefined, failure: String(error) };
    port.postMessage(delivery);
  }
});
