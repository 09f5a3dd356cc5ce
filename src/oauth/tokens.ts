/** Formats of the credentials of apps. All of them are random, and only hashes are stored (`account/credentials.ts`). */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashOf } from '../account/credentials.ts'
import { OAUTH_ACCESS_PREFIX, OAUTH_REFRESH_PREFIX } from '../domain/brand.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** Returns a new access token with 192 random bits. */
export const newAccessToken = () => OAUTH_ACCESS_PREFIX + hex(24)
/** Returns a new secret for a code, a ticket or a cookie. */
export const newSecret = () => hex(24)

/**
 * Number of hexadecimal digits at the beginning of a refresh token that all refresh tokens of an app share (128 bits): the family. Each token has 192
 * more bits.
 */
const FAMILY = 32
export const newFamily = () => hex(FAMILY / 2)
export const newRefreshToken = (family: string) => OAUTH_REFRESH_PREFIX + family + hex(24)

const REFRESH = new RegExp(`^${OAUTH_REFRESH_PREFIX}([0-9a-f]{${FAMILY}})[0-9a-f]{48}$`)
/** Returns the family of a refresh token; undefined if the text is not a refresh token. */
export const familyOf = (refreshToken: string): string | undefined => REFRESH.exec(refreshToken)?.[1]

const base64url = (bytes: Buffer) => bytes.toString('base64url')

/** Whether the verifier matches the challenge (RFC 7636, 4.6, S256). */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  const made = Buffer.from(base64url(createHash('sha256').update(verifier).digest()))
  const given = Buffer.from(challenge)
  return made.length === given.length && timingSafeEqual(made, given)
}

export { hashOf }
