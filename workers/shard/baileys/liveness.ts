/**
 * BAILEYS 15. A connection can be alive, with its pings answered and sends going out, while nothing that comes in is handled any more: a
 * handler that never ends holds the library's line for its kind, and everything behind it waits for good. The library's own keep-alive
 * does not see it, because it only looks at frames. So stanzas that come are held against what the library sends on behalf of them: every
 * message, receipt, notification and call is answered, whatever it says.
 *
 * What cannot be seen from here: a network that keeps stanzas to itself and answers pings looks like a quiet night.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/domain/clock.ts'
import { rawSocket } from './end.ts'

/** The library works on these side by side, and on what waited while we were away in one line with the messages. */
const LANES = ['message', 'receipt', 'notification', 'call'] as const
export type Lane = (typeof LANES)[number]

/** Three of the library's longest waits (a query without an answer, 60 s) in one handler. */
export const DEAF_AFTER = 3 * MINUTE
const LONGEST_LOOK = 15 * SECOND

/**
 * Silences that are told, once each. They prove nothing; but whoever is alarmed by the age of what was heard last, which the metrics show
 * without ids (`svc_inbound_age_instances`), finds the instance by them.
 */
const SILENCES = [HOUR, 6 * HOUR, DAY, 3 * DAY] as const

export interface LaneTraffic {
  /** Stanzas since the login. */
  stanzas: number
  /** What the library sent on behalf of them: acks, receipts, requests. */
  answers: number
}
export type Traffic = Readonly<Record<Lane, Readonly<LaneTraffic>>>

export interface Liveness {
  traffic(): Traffic
  /** When the last stanza came, or the login succeeded; null before that. */
  heardAt(): number | null
}

export interface LivenessDeps {
  now(): number
  deafAfterMs?: number | undefined
  onStanza(kind: Lane): void
  onSilent(silentMs: number): void
  onDeaf(lane: Lane): void
}

/** Which lane the code that runs now works for. */
const working = new AsyncLocalStorage<Lane>()

interface LaneState extends LaneTraffic {
  /** Since when something waits and nothing is answered; null: nothing waits, as far as that can be told. */
  since: number | null
}

/** At once after the socket was made, when only the library listens. */
export function watchLiveness(
  sock: Pick<WASocket, 'ws' | 'ev'>,
  { now, deafAfterMs = DEAF_AFTER, onStanza, onSilent, onDeaf }: LivenessDeps,
): Liveness {
  const { ws } = sock
  const lanes = Object.fromEntries(
    LANES.map((lane) => [lane, { stanzas: 0, answers: 0, since: null } satisfies LaneState]),
  ) as unknown as Record<Lane, LaneState>
  let timer: NodeJS.Timeout | undefined
  let heardAt: number | null = null
  /** Of the silence that lasts. */
  let told = 0

  ws.on('frame', (frame: BinaryNode | Uint8Array) => {
    // Before the login nothing has to be answered: while a device is being linked the library acknowledges no notification.
    if (timer === undefined || frame instanceof Uint8Array) return
    const lane = laneOf(frame)
    if (lane === undefined) return
    lanes[lane].stanzas++
    heardAt = now()
    told = 0
    onStanza(frame.tag as Lane)
    lanes[lane].since ??= heardAt
  })

  for (const lane of LANES) {
    const event = `CB:${lane}`
    const listeners = ws.listeners(event)
    ws.removeAllListeners(event)
    for (const listener of listeners)
      ws.on(event, (node: BinaryNode) => working.run(laneOf(node) ?? lane, () => Reflect.apply(listener, ws, [node])))
  }

  const raw = rawSocket(sock) as { send(...args: unknown[]): unknown } | null | undefined
  if (raw) {
    const { send } = raw
    raw.send = function (...args) {
      const lane = working.getStore()
      if (lane !== undefined) {
        lanes[lane].answers++
        lanes[lane].since = null
      }
      return Reflect.apply(send, this, args)
    }
  }

  function tellSilence() {
    const silentMs = now() - (heardAt ?? now())
    const reached = SILENCES.filter((silence) => silence <= silentMs).length
    if (reached > told) onSilent(silentMs)
    told = reached
  }

  function look() {
    tellSilence()
    const deaf = LANES.find((lane) => lanes[lane].since !== null && now() - lanes[lane].since! >= deafAfterMs)
    if (deaf === undefined) return
    clearInterval(timer)
    onDeaf(deaf)
  }

  sock.ev.on('connection.update', ({ connection }) => {
    if (connection === 'close') clearInterval(timer)
    if (connection === 'open') heardAt ??= now()
    if (connection === 'open') timer ??= setInterval(look, Math.min(LONGEST_LOOK, deafAfterMs / 4)).unref()
  })

  return {
    heardAt: () => heardAt,
    traffic: () =>
      Object.fromEntries(LANES.map((lane) => [lane, { stanzas: lanes[lane].stanzas, answers: lanes[lane].answers }])) as Record<
        Lane,
        LaneTraffic
      >,
  }
}

function laneOf({ tag, attrs }: BinaryNode): Lane | undefined {
  const lane = LANES.find((each) => each === tag)
  return lane !== undefined && attrs.offline !== undefined ? 'message' : lane
}
