/**
 * Detects a connection that looks healthy but handles no incoming stanza of a kind, because a handler never ends. The
 * keep-alive checks only that frames arrive, so the numbers of received and of handled stanzas are compared.
 */
import { DAY, HOUR, MINUTE, SECOND } from '../../../../src/domain/clock.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { ANSWERED, type Answered } from './stanza-router.ts'

/** Time in ms after which stanzas count as stalled. It is longer than any wait for the answer to a query. */
const STALLED_AFTER = 3 * MINUTE
const LONGEST_LOOK = 15 * SECOND

/** Periods in ms. When no stanza has arrived for one of these periods, this is logged. */
const SILENCES = [HOUR, 6 * HOUR, DAY, 3 * DAY] as const

export interface KindTraffic {
  stanzas: number
  handled: number
}
export type Traffic = Readonly<Record<Answered, Readonly<KindTraffic>>>

export interface Liveness {
  traffic(): Traffic
  /**
   * Time of the clock `now` at which the last stanza of a kind in `ANSWERED` arrived, or of the login before the first
   * one. Null before the login.
   */
  lastInboundAt(): number | null
  /** Counts a stanza that has arrived. The returned function must be called when the stanza has been handled. */
  came(kind: Answered): () => void
}

export interface LivenessDeps {
  now(): number
  stalledAfterMs?: number | undefined
  onStanza(kind: Answered): void
  onSilent(silentMs: number): void
  onStalled(kind: Answered): void
}

interface KindState extends KindTraffic {
  /** Time of the clock `now` since which stanzas of this kind wait and none was handled; null if none waits. */
  since: number | null
}

export function watchLiveness(
  sock: Pick<NetworkSocket, 'ev'>,
  { now, stalledAfterMs = STALLED_AFTER, onStanza, onSilent, onStalled }: LivenessDeps,
): Liveness {
  const kinds = Object.fromEntries(
    ANSWERED.map((kind) => [kind, { stanzas: 0, handled: 0, since: null } satisfies KindState]),
  ) as unknown as Record<Answered, KindState>
  let timer: NodeJS.Timeout | undefined
  let lastInboundAt: number | null = null
  let reported = 0

  function reportSilence() {
    const silentMs = now() - (lastInboundAt ?? now())
    const reached = SILENCES.filter((silence) => silence <= silentMs).length
    if (reached > reported) onSilent(silentMs)
    reported = reached
  }

  function look() {
    reportSilence()
    const stalled = ANSWERED.find((kind) => kinds[kind].since !== null && now() - kinds[kind].since! >= stalledAfterMs)
    if (stalled === undefined) return
    clearInterval(timer)
    onStalled(stalled)
  }

  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') clearInterval(timer)
    if (connection === 'open') lastInboundAt ??= now()
    if (connection === 'open') timer ??= setInterval(look, Math.min(LONGEST_LOOK, stalledAfterMs / 4)).unref()
  })

  return {
    lastInboundAt: () => lastInboundAt,
    traffic: () =>
      Object.fromEntries(
        ANSWERED.map((kind) => [kind, { stanzas: kinds[kind].stanzas, handled: kinds[kind].handled }]),
      ) as Record<Answered, KindTraffic>,
    came(kind) {
      // Before the login there is no timer, and the few stanzas of a pairing are not counted.
      if (timer === undefined) return () => {}
      const state = kinds[kind]
      state.stanzas++
      lastInboundAt = now()
      reported = 0
      onStanza(kind)
      state.since ??= lastInboundAt
      return () => {
        state.handled++
        state.since = state.handled < state.stanzas ? now() : null
      }
    },
  }
}
