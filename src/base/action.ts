/** Actions: what a grant can allow. A closed list, in the order in which grants store and show them. */
export const actions = [
  'zone:read',
  'zone:create',
  'zone:update',
  'zone:delete',
  'zone:transfer',
  'record:read',
  'record:create',
  'record:update',
  'record:delete',
  'dnssec:read',
  'dnssec:manage',
  'secondary:read',
  'secondary:manage',
  'access:manage',
] as const;

export type Action = (typeof actions)[number];
