/**
 * Makes the webhook receiver fail: it answers with 500, closes the connection, or never answers. Only events that it
 * answered with 200 count as received. Each event has at most one failure that the gateway counts, because the second
 * delay of the retry schedule is a minute.
 */
import type { Received, Receiver } from '../harness/receiver.ts'
import type { Seeded } from './seeded.ts'

/**
 * Kinds of failures. If the connection is closed without an answer, the gateway immediately tries once more, because
 * the connection may have been stale. Only a second close counts as a failure.
 */
const MOODS = ['500', 'closed', 'closed twice', 'hang'] as const
export type Mood = (typeof MOODS)[number]

export interface Moody {
  /** Number of first attempts that had each kind of failure. */
  readonly counts: Readonly<Record<Mood, number>>
  /** Events that were answered with 200, in order, including repetitions. */
  taken(type?: string): Received['event'][]
  /** Makes the next first attempt of an event hang until the gateway gives it up. */
  hangNext(): void
}

/**
 * For each kind of failure, the upper limit of a random number from 0 to 1: it selects the kind of failure for a first
 * attempt.
 */
const FAILS_BELOW: readonly [Mood, number][] = [
  ['500', 0.02],
  ['closed', 0.04],
  ['closed twice', 0.05],
]

export function makeMoody(receiver: Receiver, { next }: Seeded): Moody {
  const counts: Record<Mood, number> = { 500: 0, closed: 0, 'closed twice': 0, hang: 0 }
  const taken: Received['event'][] = []
  const met = new Set<string>()
  const closesAgain = new Set<string>()
  let hangs = false

  function moodOf(eventId: string): Mood | null {
    if (closesAgain.delete(eventId)) return 'closed'
    if (met.has(eventId)) return null
    met.add(eventId)
    if (hangs) {
      hangs = false
      counts.hang++
      return 'hang'
    }
    const chance = next()
    const mood = FAILS_BELOW.find(([, limit]) => chance < limit)?.[0] ?? null
    if (mood) counts[mood]++
    return mood
  }

  receiver.reply(({ event }, response) => {
    const mood = moodOf(event.event_id)
    switch (mood) {
      case null:
        taken.push(event)
        return response.writeHead(200).end()
      case '500':
        return response.writeHead(500).end()
      case 'closed twice':
        closesAgain.add(event.event_id)
        return response.destroy()
      case 'closed':
        return response.destroy()
      case 'hang':
        return
      default: {
        const never: never = mood
        throw new Error(`no such mood: ${never}`)
      }
    }
  })
  return {
    counts,
    taken: (type) => taken.filter((event) => type === undefined || event.type === type),
    hangNext() {
      hangs = true
    },
  }
}
