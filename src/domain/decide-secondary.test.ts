import { describe, expect, it } from 'vitest';
import { Law } from '../../spec/support/memory-state.ts';
import type { CommandOf } from './command.ts';

type CreateSecondary = CommandOf<'create-secondary'>;
type UpdateSecondary = CommandOf<'update-secondary'>;

function create(name: string, address: string, notifyKeyName?: string): CreateSecondary {
  return { kind: 'create-secondary', name, address, notifyKeyName };
}

function update(name: string, fields: Partial<UpdateSecondary>): UpdateSecondary {
  return { kind: 'update-secondary', name, ...fields };
}

describe('register a secondary', () => {
  it('decisions 6: names are trimmed, lower-case, of letters, digits, dot, underscore, hyphen', () => {
    const law = new Law();
    expect(law.when(create(' NS2.a_b-c ', '192.0.2.1')).event).toEqual({
      kind: 'secondary.registered',
      secondary: {
        id: 1,
        name: 'ns2.a_b-c',
        address: '192.0.2.1:53',
        enabled: true,
        notifyKeyName: null,
        createdAt: law.now,
      },
    });
    expect(law.when(create('a'.repeat(64), '::1')).event).toBeDefined();
    for (const name of ['', ' ', 'a b', 'a/b', 'ü', 'a'.repeat(65)]) {
      expect(law.refusal(create(name, '192.0.2.1'))).toMatch(/^INVALID_INPUT name: /);
    }
  });

  it.each([
    ['NS2.Example.NET', 'ns2.example.net:53'],
    ['ns2.example.net.:5300', 'ns2.example.net:5300'],
    ['192.0.2.53', '192.0.2.53:53'],
    ['192.0.2.53:00053', '192.0.2.53:53'],
    ['2001:DB8::1', '[2001:db8::1]:53'],
    ['[2001:db8:0:0::1]:5300', '[2001:db8::1]:5300'],
    ['[::1]', '[::1]:53'],
    [' localhost ', 'localhost:53'],
    ['a:65535', 'a:65535'],
  ])('decisions 16: the address %j is stored as %j', (written, stored) => {
    expect(new Law().when(create('a', written)).outcome.secondary.address).toBe(stored);
  });

  it.each([
    '',
    'a:0',
    'a:65536',
    'a:',
    'a:x',
    '192.0.2.256',
    '192.0.2',
    '192.0.02.1',
    '[192.0.2.1]',
    '[::1',
    '::g',
    '1:2:3',
    'a b',
    'a..b',
    '*.b',
    'http://a',
    `${'a'.repeat(64)}.b`,
  ])('the address %j is refused', (address) => {
    expect(new Law().refusal(create('a', address))).toMatch(/^INVALID_INPUT address: /);
  });

  it('decisions 16: same name or same normalised address twice is SECONDARY_CONFLICT', () => {
    const law = new Law();
    law.given(create('ns2', '[2001:db8::1]:53'));
    expect(law.refusal(create('NS2', '192.0.2.1'))).toMatch(/^SECONDARY_CONFLICT .*'ns2'/);
    expect(law.refusal(create('ns3', '2001:DB8:0::1'))).toMatch(/^SECONDARY_CONFLICT .*'ns2'/);
    expect(law.when(create('ns3', '[2001:db8::1]:54')).event).toBeDefined();
    expect(law.refusal(create('ns3', '192.0.2.1', 'no.key'))).toMatch(/^TSIG_KEY_NOT_FOUND/);
  });
});

describe('update and forget a secondary', () => {
  function registered(): Law {
    const law = new Law();
    law.given(create('ns2', '192.0.2.1'));
    law.given(create('ns3', '192.0.2.2'));
    return law;
  }

  it('changes what is given and nothing else', () => {
    const law = registered();
    expect(law.when(update('NS2', { enabled: false })).event).toMatchObject({
      kind: 'secondary.updated',
      before: { enabled: true },
      secondary: { id: 1, name: 'ns2', address: '192.0.2.1:53', enabled: false },
    });
    expect(law.when(update('ns2', { address: 'H' })).outcome.secondary.address).toBe('h:53');
    expect(
      law.when(update('ns2', { address: '192.0.2.1:53', enabled: true })).event,
    ).toBeUndefined();
    expect(law.when(update('ns2', { notifyKeyName: '' })).event).toBeUndefined();
  });

  it('decisions 16: an update of nothing is INVALID_INPUT', () => {
    expect(registered().refusal(update('ns2', {}))).toMatch(/^INVALID_INPUT nothing to change/);
  });

  it('refuses the address of another, and unknown secondaries', () => {
    const law = registered();
    expect(law.refusal(update('ns2', { address: '192.0.2.2' }))).toMatch(/^SECONDARY_CONFLICT/);
    expect(law.refusal(update('ns9', { enabled: true }))).toMatch(/^SECONDARY_NOT_FOUND .*'ns9'/);
    expect(law.refusal({ kind: 'delete-secondary', name: 'ns9' })).toMatch(/^SECONDARY_NOT_FOUND/);
  });

  it('invariant 8: forgets by an event, and the next one gets a new id', () => {
    const law = registered();
    law.given({ kind: 'delete-secondary', name: ' NS3 ' });
    expect(law.state.secondaryByName('ns3')).toBeUndefined();
    expect(law.given(create('ns3', '192.0.2.2')).secondary.id).toBe(3);
  });
});
