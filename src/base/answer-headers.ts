/**
 * Headers of every answer over HTTP, of the service and of the adapter alike.
 *
 * Nobody may keep an answer, guess another media type than it says, show it in a frame, or load anything because of
 * it (RFC 9111 5.2.2.5, Fetch 3.5, CSP 3). What must differ, as a page to browse does, says so itself.
 */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/**
 * Headers of every answer over TLS besides (RFC 6797). Without them a browser would try a name without TLS first; other
 * names below this one are not spoken for.
 */
export const secureHeaders = { 'Strict-Transport-Security': 'max-age=31536000' } as const;
