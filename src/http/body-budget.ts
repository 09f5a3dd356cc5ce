/**
 * Limits the memory for bodies, shared by all requests. The budget counts what is actually in memory: the bytes of a small body; for a large one the
 * unparsed bytes, the decoded files, and the JSON around the files. Memory is reserved until the request is answered, because the files are in memory
 * until then. One owner (an instance or a workspace) gets at most half of the budget; otherwise a few slow uploads of one owner would block the
 * uploads of all others.
 */
import { Busy } from './errors.ts'

const MB = 1_048_576
/**
 * Bytes that all bodies together may use: five bodies of the largest size, 48 MB each after decoding. The budget does not include pieces that were
 * parsed or dropped and are not freed yet (about 200 MB with forty concurrent bodies), and the memory of the service itself. `npm run bench --
 * bodies` measures the sum. A machine with 1 GB is large enough.
 */
const BODY_BUDGET = 256 * MB

export interface Lease {
  /**
   * Checks that this many bytes are available now, so that a caller does not first send a body that would then be refused. Throws if they are not
   * available. Reserves nothing.
   */
  check(bytes: number): void
  /** Sets the reservation to this many bytes. Throws if they are not available; the previous reservation then stays. */
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
