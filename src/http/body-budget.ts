/**
 * Memory for bodies, shared by all requests. It counts what is really held: the bytes of a small body; of a large one the bytes that are not parsed
 * yet, the files that were decoded from the others, and the JSON around the files. It is held until the request is answered, because the files are in memory until then. One
 * owner (an instance, or a workspace) gets at most half of it: otherwise a few slow uploads of one owner would stop those of all others.
 */
import { Busy } from './errors.ts'

const MB = 1_048_576
/**
 * Five bodies of the largest size, 48 MB each when they are decoded. Pieces that are already parsed or dropped but not freed yet come on top, some
 * 200 MB with forty bodies at once, and the service itself. `npm run bench -- bodies` measures the sum: a machine with 1 GB has room for it.
 */
const BODY_BUDGET = 256 * MB

export interface Lease {
  /** Throws when so much is not available now, before the caller sends a body that would be refused; reserves nothing. */
  check(bytes: number): void
  /** From now on so much is reserved. Throws when more is not available; what was reserved before stays reserved. */
  hold(bytes: number): void
  /** What is reserved beyond so much is given back. Never throws, and reserves nothing: not after `release` either. */
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
