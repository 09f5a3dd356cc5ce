/** ULIDs whose random part costs little: by itself the package asks the operating system for each of its sixteen characters. */
import { randomInt } from 'node:crypto'
import { ulid } from 'ulid'

/** Cryptographically random, from 0 to just below 1. Node keeps some at hand. */
export const randomFraction = () => randomInt(2 ** 32) / 2 ** 32

/** A ULID of now. Two of the same millisecond are in no order. */
export const newUlid = () => ulid(Date.now(), randomFraction)
