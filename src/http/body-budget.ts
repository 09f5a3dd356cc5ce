/**
 * Memory for bodies, shared by all requests: a dozen of 60 MB at once would otherwise take 1.8 GB. Held until the request is answered,
 * because until then the bytes, their text or their media are in memory. One owner (an instance, or a workspace) is given half of it at most:
 * otherwise four slow uploads of one stop everybody's.
 */
import { Busy } from './errors.ts'

const MB = 1_048_576
/**
 * Four bodies of the largest size. Two are parsed at a time (engine/media-pool.ts), so that beside the bytes there are those of two once
 * more in one piece, their text and their media: some 700 MB at worst, which a small VPS has.
 */
const BODY_BUDGET = 256 * MB

export interface Lease {
  /** Throws when so much is not available now, before the caller sends a body that would be refused; reserves nothing. */
  check(bytes: number): void
  /** Throws when so much is not available; what was reserved before stays reserved. */
  take(bytes: number): void
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
        take(bytes) {
          check(bytes)
          add(bytes)
        },
        release: () => add(-held),
      }
    },
  }
}
export type BodyBudget = ReturnType<typeof createBodyBudget>
