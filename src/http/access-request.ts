/**
 * The facts of a request that authentication needs. `limit` gets the number of remaining requests, for the headers of
 * the response.
 */
export interface AccessRequest {
  headers: Headers
  source: string
  /** Address of the peer of the socket, regardless of what a proxy claims. */
  peer: string | undefined
  limit(remaining: number): void
}

/** Longest accepted value of a header with a credential, and longest secret of a connect link, in characters. */
export const MAX_CREDENTIAL = 256

/** Returns the bearer token of a request. Repeated headers arrive joined with a comma, so they do not match. */
export function bearer(headers: Headers): string | undefined {
  const value = headers.get('Authorization')
  if (value === null || value.length > MAX_CREDENTIAL) return undefined
  return /^bearer +([\x21-\x7e]+)$/i.exec(value)?.[1]
}
