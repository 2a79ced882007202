import { describe, expect, it } from 'vitest';
import { actions } from '../base/action.ts';
import { curlConfig, type Grant, grantText, keySnippets } from './grants.ts';

const grant = (given: Partial<Grant>): Grant => ({
  zone_name: 'example.com',
  actions: ['record:read'],
  record_name_pattern: '*',
  record_types: '*',
  ...given,
});

describe('a grant', () => {
  it.each([
    [{}, 'may read all records in example.com'],
    [
      {
        actions: ['record:create', 'record:delete'],
        record_name_pattern: '*.dyn',
        record_types: 'A,AAAA',
      },
      'may create and delete A, AAAA of *.dyn in example.com',
    ],
    [
      { actions: ['record:read'], record_name_pattern: 'www', zone_name: null },
      'may read records of www in all zones',
    ],
    [
      { actions: ['record:read', 'record:create', 'record:update'], record_types: 'TXT' },
      'may read, create and update TXT in example.com',
    ],
    [
      { actions: ['zone:read', 'dnssec:manage'] },
      'may read the zone example.com; manage the signing of example.com',
    ],
    [
      { zone_name: null, actions: ['zone:create', 'secondary:read', 'access:manage'] },
      'may create all zones; read secondaries; manage tokens, roles and keys',
    ],
  ] as const)('%j is said as a sentence', (given, text) => {
    expect(grantText(grant(given))).toBe(text);
  });

  it('says every action there is', () => {
    for (const action of actions) {
      const [, verb] = action.split(':');
      expect(grantText(grant({ actions: [action] }))).toMatch(new RegExp(`^may ${verb} \\w`));
    }
  });
});

describe('a secret', () => {
  it('is written as each program reads it', () => {
    const tsig_key = {
      id: 1,
      name: 'a"b.example',
      algorithm: 'hmac-sha256',
      created_at: '2026-01-31T12:00:00.000Z',
      role_name: 'dyn',
    };
    const [named, knot, nsupdate] = keySnippets({ secret: 'AAEC', tsig_key });
    expect(named!.text).toBe(
      'key "a\\"b.example" {\n  algorithm hmac-sha256;\n  secret "AAEC";\n};',
    );
    expect(knot!.text).toContain('id: "a\\"b.example"\n    algorithm: hmac-sha256\n');
    expect(nsupdate!.text).toBe(named!.text);
    expect(curlConfig('zb_x')).toBe('header = "Authorization: Bearer zb_x"\n');
  });
});
