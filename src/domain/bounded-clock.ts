/**
 * A clock that does not follow the machine's clock when it jumps ahead. A jump of a month for one minute would
 * otherwise make ids and expiries wrong, and delete recent data as too old. A jump is followed once the network reports
 * the same time at a login, or after an hour without contradiction. A clock that is set back is followed immediately.
 */
import { type Clock, HOUR, MINUTE } from './clock.ts'

/**
 * Longest step forward of the machine's clock that is followed immediately, because machines adjust their clocks by
 * small amounts.
 */
export const MOST_STEP = 10 * MINUTE
export const BELIEVED_AFTER = HOUR

export interface BoundedClock extends Clock {
  /**
   * Records the network's time in epoch ms. Only the time of a login can confirm a jump of the clock; other times can
   * only contradict it.
   */
  learned(at: number, isLogin: boolean): void
  /** Milliseconds by which the machine's clock is ahead of this clock. */
  ahead(): number
  /** Returns `ahead()` if the network's time contradicts the machine's clock. Returns 0 if it does not. */
  contradicted(): number
}

export interface BoundedClockOptions {
  wall: Clock
  /** A clock that never steps and that stops while the machine is suspended. */
  steady: Clock
  /** Milliseconds since the machine booted, including suspensions. */
  uptime(): number
  /**
   * Called when this clock stops following the machine's clock, when that clock jumps again, and when this clock
   * follows it again. `aheadMs` is 0 in the last case.
   */
  onChange?(aheadMs: number): void
}

interface Point {
  at: number
  steady: number
}

export function createBoundedClock({ wall, steady, uptime, onChange = () => {} }: BoundedClockOptions): BoundedClock {
  const began = { uptime: uptime(), steady: steady.now() }
  /**
   * The time at which this clock last followed the machine's clock. The object is changed in place and not replaced,
   * because sending one text reads the time hundreds of times.
   */
  const last: Point = { at: wall.now(), steady: began.steady }
  let network: Point | undefined
  /** The jump that is not followed yet. `since` is a time of the steady clock. */
  let doubt: { since: number; aheadMs: number; isContradicted: boolean } | undefined
  let suspendedMs = 0

  const from = (point: Point) => point.at + (steady.now() - point.steady)

  function believe(at: number): number {
    last.at = at
    last.steady = steady.now()
    if (doubt) {
      doubt = undefined
      onChange(0)
    }
    return at
  }

  function wokeAfter(): number {
    const total = uptime() - began.uptime - (steady.now() - began.steady)
    const fresh = Math.max(0, total - suspendedMs)
    suspendedMs += fresh
    return fresh
  }

  const isNetworkTime = (at: number) => network !== undefined && at <= from(network) + MOST_STEP

  /**
   * True if the jump that is not followed yet leads to this time. If not, the machine's clock has jumped again, and a
   * new hour of observation begins.
   */
  const isSameJump = (at: number) => doubt !== undefined && Math.abs(at - from(last) - doubt.aheadMs) <= MOST_STEP

  function hasLasted(at: number): boolean {
    return doubt !== undefined && isSameJump(at) && !doubt.isContradicted && steady.now() - doubt.since >= BELIEVED_AFTER
  }

  function doubted(at: number): number {
    const believed = Math.floor(from(last))
    if (!isSameJump(at)) {
      const aheadMs = at - believed
      // If the network contradicts a jump, it also contradicts a time that is even further ahead.
      const isContradicted = doubt?.isContradicted === true && aheadMs > doubt.aheadMs
      doubt = { since: steady.now(), aheadMs, isContradicted }
      onChange(aheadMs)
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
    last.at += wokeAfter()
    if (at <= from(last) + MOST_STEP || isNetworkTime(at) || hasLasted(at)) return believe(at)
    return doubted(at)
  }

  return {
    now,
    learned(networkAt, isLogin) {
      if (isLogin) network = { at: networkAt, steady: steady.now() }
      now()
      // The network's time can contradict the machine's clock only while a jump of that clock is in doubt. At any other
      // time, a difference means that the network's time is wrong.
      if (doubt && wall.now() > networkAt + MOST_STEP) doubt = { ...doubt, isContradicted: true }
    },
    ahead,
    contradicted: () => (ahead() > 0 && doubt?.isContradicted ? ahead() : 0),
  }
}
