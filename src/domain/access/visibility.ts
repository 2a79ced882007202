/** Who knows of things that are in no zone, and what is said of one that is not there: what is hidden reads the same. */
import { excerpt, Problem } from '../../base/problem.ts';
import type { Rights } from './rights.ts';

/** True when the caller may know of roles, grants, tokens and TSIG keys. */
export function seesAccess(rights: Rights): boolean {
  return rights.everywhere('access:manage');
}

/** True when the caller may know which secondaries there are. */
export function seesSecondaries(rights: Rights): boolean {
  return rights.everywhere('secondary:read') || rights.everywhere('secondary:manage');
}

/** True when the caller may know which policies there are. */
export function seesPolicies(rights: Rights): boolean {
  return rights.everywhere('dnssec:read') || rights.everywhere('dnssec:manage');
}

export function noRecord(id: number): Problem {
  return new Problem('RECORD_NOT_FOUND', `record ${id} does not exist`);
}

export function noSecondary(name: string): Problem {
  return new Problem('SECONDARY_NOT_FOUND', `secondary '${excerpt(name)}' does not exist`);
}

export function noRole(name: string): Problem {
  return new Problem('ROLE_NOT_FOUND', `role '${excerpt(name)}' does not exist`);
}

export function noToken(name: string): Problem {
  return new Problem('TOKEN_NOT_FOUND', `token '${excerpt(name)}' does not exist`);
}

/** `name` is written without a closing dot. */
export function noTsigKey(name: string): Problem {
  return new Problem('TSIG_KEY_NOT_FOUND', `TSIG key '${excerpt(name)}' does not exist`);
}

export function noPolicy(name: string): Problem {
  return new Problem('DNSSEC_POLICY_NOT_FOUND', `DNSSEC policy '${excerpt(name)}' does not exist`);
}
