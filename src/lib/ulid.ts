/** ULIDs with a cheap random part: the package by itself asks the operating system for each of its sixteen characters. */
import { randomInt } from 'node:crypto'
import { ulid } from 'ulid'

/** Cryptographically random number from 0 to just below 1. Node caches random numbers. */
export const randomFraction = () => randomInt(2 ** 32) / 2 ** 32

/** A ULID with the current time. Two ULIDs of the same millisecond have no order. */
export const newUlid = () => ulid(Date.now(), randomFraction)
