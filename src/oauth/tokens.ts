/** Formats of the tokens of apps. All are random, and only their hashes are stored. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashOf } from '../account/credentials.ts'
import { OAUTH_ACCESS_PREFIX, OAUTH_REFRESH_PREFIX } from '../domain/brand.ts'

const hex = (bytes: number) => randomBytes(bytes).toString('hex')

export const newAccessToken = () => OAUTH_ACCESS_PREFIX + hex(24)
export const newSecret = () => hex(24)

/** Number of hex digits at the beginning that all refresh tokens of an app share: the token family (128 bits). */
const FAMILY = 32
export const newFamily = () => hex(FAMILY / 2)
export const newRefreshToken = (family: string) => OAUTH_REFRESH_PREFIX + family + hex(24)

const REFRESH = new RegExp(`^${OAUTH_REFRESH_PREFIX}([0-9a-f]{${FAMILY}})[0-9a-f]{48}$`)
export const familyOf = (refreshToken: string): string | undefined => REFRESH.exec(refreshToken)?.[1]

const base64url = (bytes: Buffer) => bytes.toString('base64url')

/** True if the verifier belongs to the challenge (RFC 7636, 4.6, with S256). */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  const made = Buffer.from(base64url(createHash('sha256').update(verifier).digest()))
  const given = Buffer.from(challenge)
  return made.length === given.length && timingSafeEqual(made, given)
}

export { hashOf }
