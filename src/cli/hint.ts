/** What to do about a refusal, by its code; codes whose message says it all have none. */

const hints: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'give a token with --token or ZONEBOOK_TOKEN',
  INVALID_TOKEN: 'check --token or ZONEBOOK_TOKEN',
  ZONE_NOT_FOUND: "'zonebook zone list' shows the zones",
  VERSION_NOT_FOUND: "'zonebook zone version list ZONE' shows the versions",
  RECORD_NOT_FOUND: "'zonebook record list ZONE' shows the records with their ids",
  SECONDARY_NOT_FOUND: "'zonebook secondary list' shows the secondaries",
  ROLE_NOT_FOUND: "'zonebook role list' shows the roles",
  ROLE_GRANT_NOT_FOUND: "'zonebook role grants ROLE' shows the grants with their ids",
  TOKEN_NOT_FOUND: "'zonebook token list' shows the tokens",
  TSIG_KEY_NOT_FOUND: "'zonebook tsig-key list' shows the keys",
  DNSSEC_POLICY_NOT_FOUND: "'zonebook dnssec-policy list' shows the policies",
  ENDPOINT_NOT_FOUND: 'the service does not know this command; compare its version with --version',
  METHOD_NOT_ALLOWED: 'the service does not know this command; compare its version with --version',
  PAYLOAD_TOO_LARGE: 'send it in smaller parts',
  RATE_LIMITED: 'try again in a minute',
  NOTIFY_FAILED: "'zonebook secondary check NAME' tells what is wrong with a secondary",
  OVERLOADED: 'try again in a moment',
  STORAGE_UNAVAILABLE: "'zonebook status' and the log of the service tell more",
  INTERNAL: 'the log of the service tells more',
};

export function hintFor(code: string): string | undefined {
  return hints[code];
}
