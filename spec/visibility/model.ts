/**
 * What grants allow, in the plainest words: texts are compared with texts. It knows nothing of the service's own
 * code, and is the judge of it.
 */

/** A grant as it was asked for. */
export interface ModelGrant {
  /** Null for all zones. */
  readonly zoneId: number | null;
  readonly actions: readonly string[];
  readonly pattern: string;
  /** `*` or types separated by commas. */
  readonly types: string;
}

const allZonesOnly = ['zone:create', 'secondary:read', 'secondary:manage', 'access:manage'];

export class ModelCaller {
  readonly #grants: readonly ModelGrant[];

  constructor(grants: readonly ModelGrant[]) {
    this.#grants = grants;
  }

  sees(zoneId: number): boolean {
    return this.reaching(zoneId).length > 0;
  }

  /** The grants that reach a zone; null for those of all zones. */
  reaching(zoneId: number | null): readonly ModelGrant[] {
    return this.#grants.filter((grant) => grant.zoneId === null || grant.zoneId === zoneId);
  }

  everywhere(action: string): boolean {
    return this.reaching(null).some(
      (grant) => grant.actions.includes(action) && isWhole(grant, action),
    );
  }

  inZone(action: string, zoneId: number): boolean {
    if (allZonesOnly.includes(action)) return this.everywhere(action);
    return this.reaching(zoneId).some((grant) => grant.actions.includes(action));
  }

  /** An action on all records of a zone. */
  whole(action: string, zoneId: number): boolean {
    const reaching = this.reaching(zoneId);
    return reaching.some((grant) => grant.actions.includes(action) && isWhole(grant, action));
  }

  /** `owner` is relative, `@` for the apex. */
  onRecord(action: string, zoneId: number, owner: string, type: string): boolean {
    return this.reaching(zoneId).some(
      ({ actions, pattern, types }) =>
        actions.includes(action) &&
        matches(pattern, owner) &&
        (types === '*' || types.split(',').includes(type)),
    );
  }
}

function isWhole({ pattern, types }: ModelGrant, action: string): boolean {
  return !action.startsWith('record:') || (pattern === '*' && types === '*');
}

function matches(pattern: string, owner: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*.')) {
    const above = pattern.slice(2);
    return owner === above || owner.endsWith(`.${above}`);
  }
  if (pattern.endsWith('.**')) {
    const first = pattern.slice(0, -3);
    return owner === first || owner.startsWith(`${first}.`);
  }
  return owner === pattern.replace('\\*', '*');
}

export function ownerOf(name: string, zoneName: string): string {
  const apex = `${zoneName}.`;
  return name === apex ? '@' : name.slice(0, -apex.length - 1);
}
