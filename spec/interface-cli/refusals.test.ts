/** What a command says that the service refused, for people and for programs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });

describe('a refusal', () => {
  const bad = ['zone', 'create', 'a b', '--mname', 'n s', '--rname', 'nobody'];

  it('tells everything that is wrong, the first on the first line', async () => {
    const { code, out, err } = await cli(...bad);
    expect([code, out]).toEqual([1, '']);
    const lines = err.trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).toEqual(['zonebook', '  mname', '  rname']);
    expect(lines[0]).toContain("name: 'a b'");
  });

  it('is JSON where JSON is asked for in so many words', async () => {
    for (const asked of [['-o', 'json'], ['-o=json'], ['--output=json'], ['--output', 'json']]) {
      const { code, out, err } = await cli(...bad, ...asked);
      expect([asked, code, out]).toEqual([asked, 1, '']);
      expect(JSON.parse(err)).toMatchObject({
        code: 'INVALID_ZONE_FIELD',
        errors: [{ pointer: '/name' }, { pointer: '/mname' }, { pointer: '/rname' }],
        exit_code: 1,
      });
    }
    const unknown = await cli('zone', 'lst', '-o', 'json');
    expect(JSON.parse(unknown.err)).toEqual({
      error: 'unknown command: lst',
      hint: "did you mean 'zonebook zone list'?",
      exit_code: 2,
    });
  });
});
