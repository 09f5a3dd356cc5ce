/**
 * Makes the webhook receiver fail: it answers with 500, closes the connection, or does not answer. Only events that it
 * has answered with 200 count as received.
 */
import type { Received, Receiver } from '../harness/receiver.ts'
import type { Seeded } from './seeded.ts'

/**
 * Failures of the receiver. If the gateway had used the connection before, a first close is no failed attempt: the
 * gateway tries again at once. A second close is a failed attempt.
 */
const MOODS = ['500', 'closed', 'closed twice', 'hang'] as const
export type Mood = (typeof MOODS)[number]

export interface Moody {
  readonly counts: Readonly<Record<Mood, number>>
  taken(type?: string): Received['event'][]
  /** Makes the receiver give no answer to the next event that it gets for the first time. */
  hangNext(): void
}

/** Failures of a first attempt. A random number from 0 to 1 selects the first entry whose limit is above the number. */
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
