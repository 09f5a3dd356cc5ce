/**
 * Limits the memory for bodies, shared by all requests. One instance or workspace gets at most half of it, because its
 * slow uploads could otherwise block all others.
 */
import { Busy } from './errors.ts'

const MB = 1_048_576
/**
 * Maximum number of bytes that are reserved for all bodies together. A body of the largest size has 48 MB after
 * decoding.
 */
const BODY_BUDGET = 256 * MB

export interface Lease {
  /**
   * Throws if this many bytes are not available; reserves nothing. Called before the body is read, so that a client
   * gets the refusal before it sends a large body.
   */
  check(bytes: number): void
  /** Changes the reservation to this many bytes. Throws, and changes nothing, if they are not available. */
  hold(bytes: number): void
  /** Reduces the reservation to this many bytes. Never throws and never reserves, even after `release`. */
  lower(bytes: number): void
  release(): void
}

const FULL = 'Too many large requests are being read at the moment; send this one again.'
const OWN_FULL = 'Too many large requests of this caller are being read at the moment; send this one again.'

export function createBodyBudget(total = BODY_BUDGET) {
  const perOwner = total / 2
  let left = total
  const ofOwner = new Map<string, number>()

  return {
    lease(owner: string): Lease {
      let held = 0
      const add = (bytes: number) => {
        const sum = (ofOwner.get(owner) ?? 0) + bytes
        if (sum === 0) ofOwner.delete(owner)
        else ofOwner.set(owner, sum)
        left -= bytes
        held += bytes
      }
      const check = (bytes: number) => {
        if ((ofOwner.get(owner) ?? 0) + bytes > perOwner) throw new Busy(OWN_FULL)
        if (bytes > left) throw new Busy(FULL)
      }
      return {
        check,
        hold(bytes) {
          if (bytes > held) check(bytes - held)
          add(bytes - held)
        },
        lower: (bytes) => add(Math.min(0, bytes - held)),
        release: () => add(-held),
      }
    },
  }
}
export type BodyBudget = ReturnType<typeof createBodyBudget>
