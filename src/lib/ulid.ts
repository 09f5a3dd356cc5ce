/**
 * ULIDs with a cheap random part. The package itself would request random bytes from the operating system for each of
 * the sixteen characters.
 */
import { randomInt } from 'node:crypto'
import { ulid } from 'ulid'

/** Returns a cryptographically random number from 0 to just below 1. */
export const randomFraction = () => randomInt(2 ** 32) / 2 ** 32

/** Returns a new ULID. ULIDs of the same millisecond have no order. */
export const newUlid = () => ulid(Date.now(), randomFraction)
