/**
 * TSIG against dnspython: what either signs the other verifies, for all algorithms, requests,
 * single answers and answers of many messages (RFC 8945, case 51).
 */
import { beforeAll, expect, it } from 'vitest';
import { requestMessage } from '../../../spec/support/dns-messages.ts';
import { dnspython } from '../../../spec/support/dnspython.ts';
import { needsPeers } from '../../../spec/support/peers.ts';
import { parseAbsoluteName } from '../name.ts';
import { decodeMessage } from './decode.ts';
import { rcode } from './header.ts';
import { findTsig, parseTsig } from './tsig.ts';
import { TsigExchange } from './tsig-exchange.ts';
import { type TsigAlgorithm, TsigKey } from './tsig-key.ts';
import { AnswerSigner, errorSigner, type MessageSigner, signRequest } from './tsig-sign.ts';
import { verifyRequest } from './tsig-verify.ts';

const algorithms: TsigAlgorithm[] = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'];
/** Shorter than a block, as long as one, longer. */
const secretBytes = [16, 64, 128, 200];
const count = 5;

const pairs = algorithms.flatMap((algorithm) =>
  secretBytes.map((bytes) => ({
    algorithm,
    secret: Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 37 + bytes) & 255)),
  })),
);
const nowSeconds = () => Math.floor(Date.now() / 1000);
const keyName = 'Key-1.\\001x.Example.COM';

function keyOf({ algorithm, secret }: (typeof pairs)[number]): TsigKey {
  return new TsigKey({ name: parseAbsoluteName(keyName), algorithm, secret });
}

const keyOfPython = `
def key_of(pair):
    name = dns.name.from_text(given['name'])
    return dns.tsig.Key(name, bytes.fromhex(pair['secret']), pair['algorithm'])
`;

const keysGiven = pairs.map(({ algorithm, secret }) => ({
  algorithm,
  secret: secret.toString('hex'),
}));

function signWith(signer: MessageSigner, plain: Buffer): Buffer {
  const room = Buffer.alloc(plain.length + signer.bytes);
  room.set(plain);
  return room.subarray(0, signer.sign(room, plain.length));
}

interface Signed {
  query: string;
  answer: string;
  answers: string[];
}

needsPeers('dnspython')('TSIG and dnspython', () => {
  const ours = pairs.map((pair) =>
    signRequest(requestMessage({ name: 'example.com', type: 'SOA' }), keyOf(pair), nowSeconds()),
  );
  let theirs: Signed[];

  beforeAll(async () => {
    theirs = await dnspython<Signed[]>(
      0,
      `
import dns.tsig
${keyOfPython}
result = []
for pair, ours in zip(given['keys'], given['ours']):
    key = key_of(pair)
    # Verifies, or raises.
    asked = dns.message.from_wire(bytes.fromhex(ours), keyring=key)
    assert asked.had_tsig
    answer = dns.message.make_response(asked)
    answers = []
    ctx = None
    for number in range(given['count']):
        part = dns.message.make_response(asked)
        part.use_tsig(key)
        part.request_mac = asked.mac
        answers.append(part.to_wire(multi=True, tsig_ctx=ctx).hex())
        ctx = part.tsig_ctx
    query = dns.message.make_query('example.com', 'AXFR')
    query.use_tsig(key)
    result.append({'query': query.to_wire().hex(), 'answer': answer.to_wire().hex(),
                   'answers': answers})
`,
      {
        name: keyName,
        keys: keysGiven,
        ours: ours.map((message) => message.toString('hex')),
        count,
      },
    );
  });

  it('dnspython verifies our requests, and we its answers', () => {
    for (const [index, pair] of pairs.entries()) {
      const { mac } = findTsig(ours[index]!)!;
      const single = new TsigExchange(keyOf(pair), nowSeconds, mac);
      expect(single.verify(Buffer.from(theirs[index]!.answer, 'hex'))).toBeUndefined();
      const many = new TsigExchange(keyOf(pair), nowSeconds, mac);
      for (const answer of theirs[index]!.answers) {
        expect(many.verify(Buffer.from(answer, 'hex'))).toBeUndefined();
      }
      expect(many.finish()).toBeUndefined();
      expect(theirs[index]!.answers).toHaveLength(count);
    }
  });

  it('we verify its requests, and dnspython our answers', async () => {
    const answered = pairs.map((pair, index) => {
      const key = keyOf(pair);
      const query = Buffer.from(theirs[index]!.query, 'hex');
      const tsig = parseTsig(decodeMessage(query).tsig!);
      expect(verifyRequest(query, tsig, key, nowSeconds())).toBe('ok');
      const id = query.readUInt16BE(0);
      const part = requestMessage({ id, name: 'example.com', type: 'AXFR', flags: 0x8400 });
      const signer = new AnswerSigner(key, tsig.mac, nowSeconds);
      const answers = Array.from({ length: count }, () => signWith(signer, part));
      const lateAt = nowSeconds() + 1000;
      const late = errorSigner(key, tsig, rcode.BADTIME, lateAt);
      return {
        mac: tsig.mac.toString('hex'),
        answers: answers.map((answer) => answer.toString('hex')),
        late: signWith(late, part).toString('hex'),
        lateBy: lateAt - tsig.timeSigned,
      };
    });
    const verified = await dnspython<unknown>(
      0,
      `
import hmac
import dns.tsig
${keyOfPython}
result = []
for pair, answered in zip(given['keys'], given['answered']):
    key = key_of(pair)
    mac = bytes.fromhex(answered['mac'])
    wires = [bytes.fromhex(wire) for wire in answered['answers']]
    # The first alone, as the answer to a query.
    dns.message.from_wire(wires[0], keyring=key, request_mac=mac)
    ctx = None
    for wire in wires:
        part = dns.message.from_wire(wire, keyring=key, request_mac=mac, xfr=True, multi=True,
                                     tsig_ctx=ctx)
        ctx = part.tsig_ctx
    # dnspython looks at errors before MACs, so the digest of BADTIME is made by hand.
    late = bytes.fromhex(answered['late'])
    try:
        dns.message.from_wire(late, keyring=key, request_mac=mac)
    except dns.tsig.PeerBadTime:
        says = 'BADTIME'
    owner = key.name.to_digestable()
    at = late.index(owner, 12)
    plain = late[:10] + b'\\x00\\x00' + late[12:at]
    at += len(owner) + 10
    tsig = dns.rdata.from_wire('ANY', 'TSIG', late, at, len(late) - at)
    times = struct.pack('!HIHHH', 0, tsig.time_signed, tsig.fudge, tsig.error, 6) + tsig.other
    digest = struct.pack('!H', len(mac)) + mac + plain + owner + struct.pack('!HI', 255, 0)
    digest += key.algorithm.to_digestable() + times
    expected = hmac.new(key.secret, digest, pair['algorithm'][5:]).digest()
    result.append([says, expected == tsig.mac, int.from_bytes(tsig.other, 'big') - tsig.time_signed])
`,
      { name: keyName, keys: keysGiven, answered },
    );
    expect(verified).toEqual(answered.map(({ lateBy }) => ['BADTIME', true, lateBy]));
  });
});
