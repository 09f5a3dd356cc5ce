/**
 * The machine's clock, which is not followed when it jumps ahead: a clock that is a month ahead for a minute would leave ids, times of events and
 * expiries behind that are a month ahead, and would remove what is not old. A jump is followed once the network says the same at a login, and
 * after an hour in which nobody contradicts it; until then time goes on as it was. A clock that is set back is followed at once.
 */
import { type Clock, HOUR, MINUTE } from './clock.ts'

/** A step this long is followed: machines set their clocks by a little now and then. */
export const MOST_STEP = 10 * MINUTE
/** A jump that lasts this long is followed, unless the network's time contradicts it. */
export const BELIEVED_AFTER = HOUR

export interface BoundedClock extends Clock {
  /** The network has said what time it is, epoch ms: at a login, or in between, which can only contradict a jump. */
  learned(at: number, isLogin: boolean): void
  /** How far the machine's clock is ahead of this one in ms; 0 while it is followed. */
  ahead(): number
  /** The same as far as the network contradicts it. */
  contradicted(): number
}

export interface BoundedClockOptions {
  wall: Clock
  /** Does not step, and stands still while the machine is suspended. */
  steady: Clock
  /** Since the machine's start in ms, suspensions included. */
  uptime(): number
  /** `aheadMs`: the machine's clock is not followed, because it is this far ahead; 0: it is followed again. */
  onChange?(aheadMs: number): void
}

interface Point {
  at: number
  /** By the steady clock. */
  steady: number
}

export function createBoundedClock({ wall, steady, uptime, onChange = () => {} }: BoundedClockOptions): BoundedClock {
  const began = { uptime: uptime(), steady: steady.now() }
  /** The last time that was believed. */
  let last: Point = { at: wall.now(), steady: began.steady }
  /** The network's time at the last login. */
  let network: Point | undefined
  let doubt: { since: number; isContradicted: boolean } | undefined
  let suspendedMs = 0

  const from = (point: Point) => point.at + (steady.now() - point.steady)

  function believe(at: number): number {
    last = { at, steady: steady.now() }
    if (doubt) {
      doubt = undefined
      onChange(0)
    }
    return at
  }

  /** Time that passed while the machine was suspended, since the last look. */
  function wokeAfter(): number {
    const total = uptime() - began.uptime - (steady.now() - began.steady)
    const fresh = Math.max(0, total - suspendedMs)
    suspendedMs += fresh
    return fresh
  }

  function isConfirmed(at: number): boolean {
    if (network && at <= from(network) + MOST_STEP) return true
    if (!doubt) return false
    return !doubt.isContradicted && steady.now() - doubt.since >= BELIEVED_AFTER
  }

  function doubted(at: number): number {
    const believed = Math.floor(from(last))
    if (doubt === undefined) {
      doubt = { since: steady.now(), isContradicted: false }
      onChange(at - believed)
    }
    return believed
  }

  function ahead(): number {
    const believed = now()
    return doubt ? wall.now() - believed : 0
  }

  function now(): number {
    const at = wall.now()
    if (at <= from(last) + MOST_STEP) return believe(at)
    if (doubt === undefined) last = { ...last, at: last.at + wokeAfter() }
    if (at <= from(last) + MOST_STEP || isConfirmed(at)) return believe(at)
    return doubted(at)
  }

  return {
    now,
    learned(networkAt, isLogin) {
      if (isLogin) network = { at: networkAt, steady: steady.now() }
      now()
      // Without a jump the machine's clock is believed, whatever the network says: only one of the two has moved.
      if (doubt && wall.now() > networkAt + MOST_STEP) doubt = { ...doubt, isContradicted: true }
    },
    ahead,
    contradicted: () => (ahead() > 0 && doubt?.isContradicted ? ahead() : 0),
  }
}
