import { describe, expect, it } from 'vitest';
import { printRelativeName } from '../dns/name.ts';
import type { Grant } from './access/model.ts';
import { compileGrant, fullRights, noRights, Rights } from './access/rights.ts';
import { managedOwners, outermost } from './external-dns.ts';

const needed = ['record:read', 'record:create', 'record:delete'] as const;

function grant(more: Partial<Grant> = {}): Grant {
  return {
    id: 1,
    roleId: 1,
    zoneId: 1,
    actions: needed,
    recordNamePattern: '*',
    recordTypes: '*',
    createdAt: 0,
    ...more,
  };
}

const domains = (zoneId: number, ...grants: Grant[]) =>
  managedOwners(new Rights(grants.map(compileGrant)), zoneId).map(printRelativeName);

describe('the domains of a role', () => {
  it('are all zones for the administrator, and none for nobody', () => {
    expect(managedOwners(fullRights, 7).map(printRelativeName)).toEqual(['@']);
    expect(managedOwners(noRights, 7)).toEqual([]);
  });

  it('are the zone of a grant, or every zone', () => {
    expect(domains(1, grant())).toEqual(['@']);
    expect(domains(2, grant())).toEqual([]);
    expect(domains(2, grant({ zoneId: null }))).toEqual(['@']);
  });

  it('are a subtree, in one zone or in every', () => {
    expect(domains(1, grant({ recordNamePattern: '*.apps' }))).toEqual(['apps']);
    expect(domains(9, grant({ zoneId: null, recordNamePattern: '*.k8s.apps' }))).toEqual([
      'k8s.apps',
    ]);
  });

  it.each(needed)('need %s, in whichever grant', (missing) => {
    const others = needed.filter((action) => action !== missing);
    expect(domains(1, grant({ actions: [...others, 'record:update'] }))).toEqual([]);
    const parts = [grant({ actions: others }), grant({ actions: [missing], zoneId: null })];
    expect(domains(1, ...parts)).toEqual(['@']);
  });

  it('need patterns that cover the name', () => {
    const reading = grant({ actions: ['record:read'] });
    const writing = { actions: ['record:create', 'record:delete'] as const };
    const below = grant({ ...writing, recordNamePattern: '*.apps' });
    // The zone is contributed by the wider grant, and refused as nothing may be written there.
    expect(domains(1, reading, below)).toEqual(['apps']);
    const narrower = grant({ actions: ['record:read'], recordNamePattern: '*.a.apps' });
    expect(domains(1, below, narrower)).toEqual(['a.apps']);
    expect(domains(1, grant({ recordNamePattern: 'www' }))).toEqual([]);
    expect(domains(1, grant({ recordNamePattern: '@' }))).toEqual(['@']);
  });

  it('need a type in common, of those that a controller manages', () => {
    const of = (actions: Grant['actions'], recordTypes: string) => grant({ actions, recordTypes });
    const reading = of(['record:read'], 'A,TXT');
    const creating = of(['record:create'], 'TXT,MX');
    expect(domains(1, reading, creating, of(['record:delete'], 'TXT'))).toEqual(['@']);
    expect(domains(1, reading, creating, of(['record:delete'], 'A'))).toEqual([]);
    expect(domains(1, grant({ recordTypes: 'MX,SRV' }))).toEqual([]);
  });

  it('stand once each, however many grants make them', () => {
    const some = [grant(), grant({ zoneId: null }), grant({ recordNamePattern: '*.apps' })];
    const managed = managedOwners(new Rights(some.map(compileGrant)), 1);
    expect(managed.map(printRelativeName)).toEqual(['@', 'apps']);
    expect(outermost(managed).map(printRelativeName)).toEqual(['@']);
  });
});
