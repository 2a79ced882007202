/**
 * Names of the earlier shape of the interface that are not served any more, and what took their
 * place. A request that uses one is refused like any unknown name, with the current name as a hint.
 */

const everywhere: Readonly<Record<string, string>> = {
  primary_ns: "use 'mname'",
  admin_email: "use 'rname'",
  record_type: "use 'type'",
};

/** Retired names of zones; `ttl` is still a name of records. */
export const retiredZoneNames = {
  ttl: "use 'default_ttl'",
  min_ttl: "use 'min_default_ttl'",
  max_ttl: "use 'max_default_ttl'",
  records: 'read records with GET /records?zone_name=',
};

/** The hint for a refused name, ready to stand behind the message; empty when there is none. */
export function retiredHint(name: string, ofRoute?: Readonly<Record<string, string>>): string {
  const known = ofRoute !== undefined && Object.hasOwn(ofRoute, name) ? ofRoute[name] : undefined;
  const hint = known ?? (Object.hasOwn(everywhere, name) ? everywhere[name] : undefined);
  return hint === undefined ? '' : `: ${hint}`;
}
