import { describe, expect, it } from 'vitest';
import { Law } from '../../spec/support/memory-state.ts';
import type { CommandOf } from './command.ts';
import { signatureLifetimeOf } from './dnssec-policy.ts';

type CreatePolicy = CommandOf<'create-policy'>;
type UpdatePolicy = CommandOf<'update-policy'>;

function create(name: string, fields: Partial<CreatePolicy> = {}): CreatePolicy {
  return { kind: 'create-policy', name, ...fields };
}

function update(name: string, fields: Partial<UpdatePolicy>): UpdatePolicy {
  return { kind: 'update-policy', name, ...fields };
}

const builtIn = {
  id: 1,
  name: 'default',
  builtin: true,
  createdAt: 1001,
  algorithm: 'ecdsap256sha256',
  denial: 'nsec3',
  splitKeys: false,
  signatureValidityDays: 14,
  signatureRefreshDays: 5,
  zskLifetimeDays: 0,
};

describe('the built-in policy', () => {
  it('interface 2.10: is P-256 with one CSK and NSEC3, 14 days, refreshed at 5', () => {
    const law = new Law();
    expect(law.given({ kind: 'ensure-default-policy' }).policy).toEqual(builtIn);
    expect(law.when({ kind: 'ensure-default-policy' }).event).toBeUndefined();
  });

  it('decisions 10: can be edited, and stays as it was edited, but not deleted', () => {
    const law = new Law();
    law.given({ kind: 'ensure-default-policy' });
    law.given(update('default', { signatureValidityDays: 30 }));
    const { policy } = law.given({ kind: 'ensure-default-policy' });
    expect(policy).toEqual({ ...builtIn, signatureValidityDays: 30 });
    expect(law.refusal({ kind: 'delete-policy', name: 'Default' })).toMatch(
      /^INVALID_INPUT .*'default' is built in/,
    );
  });
});

describe('create a policy', () => {
  it('takes what is left out from the built-in one', () => {
    const law = new Law();
    const { event } = law.when(create(' Split ', { splitKeys: true, algorithm: 'ed448' }));
    expect(event).toEqual({
      kind: 'policy.created',
      policy: {
        ...builtIn,
        name: 'split',
        builtin: false,
        createdAt: law.now,
        splitKeys: true,
        algorithm: 'ed448',
      },
    });
  });

  it.each([
    [{ algorithm: 'rsasha1' }, 'algorithm'],
    [{ algorithm: 'ECDSAP256SHA256' }, 'algorithm'],
    [{ denial: 'nsec5' }, 'denial'],
    [{ signatureValidityDays: 0 }, 'signature_validity_days'],
    [{ signatureValidityDays: 24_856 }, 'signature_validity_days'],
    [{ signatureRefreshDays: -1 }, 'signature_refresh_days'],
    [{ signatureRefreshDays: 14 }, 'signature_refresh_days'],
    [{ signatureValidityDays: 5 }, 'signature_refresh_days'],
    [{ zskLifetimeDays: -1 }, 'zsk_lifetime_days'],
    [{ zskLifetimeDays: 3651 }, 'zsk_lifetime_days'],
  ])('decisions 4 and 10: refuses %j by the name of its field', (fields, named) => {
    const refusal = new Law().refusal(create('other', fields));
    expect(refusal).toMatch(new RegExp(`^INVALID_INPUT ${named}: `));
  });

  it('takes no days of refresh for a third of the validity', () => {
    const days = { signatureValidityDays: 1, signatureRefreshDays: 0 };
    const { policy } = new Law().when(create('third', days)).outcome;
    expect(policy).toMatchObject(days);
    expect(signatureLifetimeOf(policy)).toEqual({
      validitySeconds: 86_400,
      refreshSeconds: 28_800,
    });
  });

  it('decisions 10: takes the least and the most', () => {
    const law = new Law();
    const least = { signatureValidityDays: 2, signatureRefreshDays: 1, zskLifetimeDays: 0 };
    expect(law.when(create('least', least)).outcome.policy).toMatchObject(least);
    const most = {
      signatureValidityDays: 24_855,
      signatureRefreshDays: 24_854,
      zskLifetimeDays: 3650,
    };
    expect(law.when(create('most', most)).outcome.policy).toMatchObject(most);
  });

  it('refuses a name that is taken, whatever its case, and what is no name', () => {
    const law = new Law();
    law.given(create('split'));
    expect(law.refusal(create('SPLIT'))).toMatch(/^DNSSEC_POLICY_CONFLICT .*'split'/);
    for (const name of ['', 'a b', 'a/b', 'a'.repeat(65)]) {
      expect(law.refusal(create(name))).toMatch(/^INVALID_INPUT name: /);
    }
  });
});

describe('update and delete a policy', () => {
  function made(): Law {
    const law = new Law();
    law.given(create('short', { signatureValidityDays: 7, signatureRefreshDays: 2 }));
    return law;
  }

  it('changes what is given, and judges it together with what stays', () => {
    const law = made();
    expect(law.when(update('Short', { zskLifetimeDays: 30 })).event).toMatchObject({
      kind: 'policy.updated',
      before: { zskLifetimeDays: 0 },
      policy: { id: 1, signatureValidityDays: 7, signatureRefreshDays: 2, zskLifetimeDays: 30 },
    });
    expect(law.when(update('short', { signatureValidityDays: 7 })).event).toBeUndefined();
    expect(law.when(update('short', {})).event).toBeUndefined();
    expect(law.refusal(update('short', { signatureValidityDays: 2 }))).toMatch(
      /^INVALID_INPUT signature_refresh_days: 2 is not below/,
    );
    expect(law.refusal(update('long', {}))).toMatch(/^DNSSEC_POLICY_NOT_FOUND .*'long'/);
  });

  it('interface 4.7: a policy that zones are signed under stays, and they are named', () => {
    const law = made();
    law.state.signedUnder.set(1, ['a.example', 'b.example', 'c.example', 'd.example']);
    const remove = { kind: 'delete-policy', name: 'short' } as const;
    expect(law.refusal(remove)).toBe(
      "DNSSEC_POLICY_IN_USE DNSSEC policy 'short' signs 'a.example', 'b.example', 'c.example' and 1 more",
    );
    law.state.signedUnder.delete(1);
    law.state.movedFrom.set(1, ['b.example']);
    expect(law.refusal(remove)).toBe(
      "DNSSEC_POLICY_IN_USE DNSSEC policy 'short' signs 'b.example' again if the move to another one is aborted",
    );
    law.state.movedFrom.delete(1);
    law.state.deletedUnder.set(1, ['gone.example']);
    expect(law.refusal(remove)).toBe(
      "DNSSEC_POLICY_IN_USE DNSSEC policy 'short' would sign 'gone.example' if restored; purge what is not to come back",
    );
    law.state.deletedUnder.delete(1);
    expect(law.when(remove).event).toMatchObject({ kind: 'policy.deleted', policy: { id: 1 } });
    law.given(remove);
    expect(law.refusal(remove)).toMatch(/^DNSSEC_POLICY_NOT_FOUND/);
    expect(law.given(create('short')).policy.id).toBe(2);
  });
});
