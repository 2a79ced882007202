/** What to do about a refusal, by its code; codes whose message says it all have none. */

const hints: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'give a token with --token or ZONEBOOK_TOKEN',
  INVALID_TOKEN: 'check --token or ZONEBOOK_TOKEN',
  ZONE_NOT_FOUND: "'zonebook zone list' shows the zones",
  RECORD_NOT_FOUND: "'zonebook record list ZONE' shows the records with their ids",
  SECONDARY_NOT_FOUND: "'zonebook secondary list' shows the secondaries",
  ENDPOINT_NOT_FOUND: 'the service does not know this command; compare its version with --version',
  METHOD_NOT_ALLOWED: 'the service does not know this command; compare its version with --version',
  PAYLOAD_TOO_LARGE: 'send it in smaller parts',
  RATE_LIMITED: 'try again in a minute',
  OVERLOADED: 'try again in a moment',
  INTERNAL: 'the log of the service tells more',
};

export function hintFor(code: string): string | undefined {
  return hints[code];
}
