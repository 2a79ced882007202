/** Bodies share a room: who finds it full, or has half of it already, is told so on the head alone. */
import { expect, it } from 'vitest';
import { callLocally, headOf, RawConnection, tokenOf } from '../support/raw-http.ts';
import { startService } from '../support/service.ts';

const path = '/zones/example.com/import';
const content = '@ 60 IN NS ns.test.\n';

it('a body too many is answered 503 with Retry-After, and comes through later', async () => {
  await using service = await startService({
    ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true',
    ZONEBOOK_API_MAX_BODIES_BYTES: '800000',
    ZONEBOOK_LOGGING_LEVEL: 'error',
  });
  const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
  await callLocally(service, 'POST', '/zones', { name: 'example.com', ...soa });
  const tokens = new Map<string, string>();
  for (const name of ['a', 'b', 'c']) tokens.set(name, await tokenOf(service, name));

  const begin = (name: string, length: number, said: number | 'chunked' = length) => {
    const connection = new RawConnection(service.apiPort);
    const more = ['Expect: 100-continue'];
    connection.write(headOf('POST', path, { token: tokens.get(name), length: said, more }));
    return connection;
  };
  const bodyOf = (length: number) => {
    const text = JSON.stringify({ content, dry_run: true });
    return text + ' '.repeat(length - text.length);
  };
  const statusOf = async (connection: RawConnection) => (await connection.answer())?.status;

  // Told to go on, they have their place, though nothing of them has come.
  const first = begin('a', 150_000);
  expect(await statusOf(first)).toBe(100);
  const second = begin('a', 100_000);
  const refused = await second.answer();
  expect(refused).toMatchObject({ status: 503, text: expect.stringContaining('OVERLOADED') });
  expect(refused?.head).toMatch(/^retry-after: \d+$/m);
  const other = begin('b', 200_000);
  expect(await statusOf(other)).toBe(100);
  expect(await statusOf(begin('c', 100_000))).toBe(503);
  // Larger than all the room.
  expect(await statusOf(begin('c', 800_001))).toBe(413);

  // Small ones need none.
  const small = begin('c', 60_000);
  expect(await statusOf(small)).toBe(100);
  small.write(bodyOf(60_000));
  expect(await statusOf(small)).toBe(200);

  // What grows takes its place as it grows.
  const growing = begin('c', 100_000, 'chunked');
  expect(await statusOf(growing)).toBe(100);
  growing.write(`${(100_000).toString(16)}\r\n${bodyOf(100_000)}\r\n0\r\n\r\n`);
  expect(await statusOf(growing)).toBe(503);

  first.write(bodyOf(150_000));
  expect(await statusOf(first)).toBe(200);
  const again = begin('c', 100_000);
  expect(await statusOf(again)).toBe(100);
  // Who leaves in the middle leaves its place too.
  other.end();
  again.write(bodyOf(100_000));
  expect(await statusOf(again)).toBe(200);
  await expect.poll(() => statusOf(begin('a', 390_000))).toBe(100);
});
