/**
 * Tells the instances of a thread that the network is reachable again. While it is away, the delay between the attempts
 * of an instance grows to two minutes. When one instance logs in, the others do not wait for the rest of their delays.
 */
import { type Clock, SECOND } from '../../../src/domain/clock.ts'
import { STARTS_PER_SECOND } from '../../../src/domain/starts-per-second.ts'

export interface Waiting {
  /** Whether the instance waits for its next attempt. */
  isWaiting(): boolean
  /** Begins this attempt now. */
  attempt(): void
}

export interface NetworkReturn {
  /** Adds an instance. The returned function removes it. */
  join(instance: Waiting): () => void
  /** Must be called when a login was accepted after a failed attempt. */
  reached(): void
}

/**
 * Time in ms in which an instance is told at most once. Its own proxy may be the reason for its failures, while another
 * instance connects and disconnects often.
 */
const ONCE_IN = 30 * SECOND

/** `perSecond` limits how many instances are told in a second, because each of them logs in. */
export function createNetworkReturn(clock: Clock, perSecond = STARTS_PER_SECOND): NetworkReturn {
  const told = new Map<Waiting, number>()
  let isTelling = false

  const isDue = (instance: Waiting, now: number) => instance.isWaiting() && now - told.get(instance)! >= ONCE_IN

  /** Tells the next instance that waits. An instance that has connected by then is passed over. */
  function tell(left: IterableIterator<Waiting>) {
    const now = clock.now()
    for (const instance of left) {
      if (!told.has(instance) || !isDue(instance, now)) continue
      told.set(instance, now)
      instance.attempt()
      setTimeout(tell, SECOND / perSecond, left)
      return
    }
    isTelling = false
  }

  return {
    join(instance) {
      told.set(instance, -ONCE_IN)
      return () => void told.delete(instance)
    },
    reached() {
      if (isTelling) return
      isTelling = true
      tell([...told.keys()].values())
    },
  }
}
