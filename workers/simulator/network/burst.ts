import { setImmediate as nextTurn } from 'node:timers/promises'
import { digits, isGroup } from './jid.ts'
import type { Network, Person } from './model.ts'
import { newMessageId, sendAs } from './send-as.ts'

/** Messages after which other work gets its turn. */
const CHUNK = 16

/** In the prefix of a burst: the time at which each text is made, epoch ms with fractions. Whoever gets it knows how long it took. */
const NOW = '{now}'

/** Many texts in a row, numbered from 1; goes on to its end whether or not the receiver is connected. */
export function startBurst(network: Network, from: Person, to: string, count: number, textPrefix: string, perSecond?: number) {
  const base = newMessageId().slice(0, -6)
  // the number is part of the id: unique, and readable in a log
  const idOf = (number: number) => `${base}${String(number).padStart(6, '0')}`
  const chat = isGroup(to) ? to : digits(to)
  const started = Date.now()

  async function run() {
    for (let number = 1; number <= count; number++) {
      // a reset took the sender away
      if (network.people.get(from.number) !== from) return
      const due = perSecond === undefined ? 0 : started + ((number - 1) * 1_000) / perSecond - Date.now()
      if (due > 0) await new Promise<void>((resolve) => network.later(due, resolve))
      else if (number % CHUNK === 0) await nextTurn()
      const prefix = textPrefix.replace(NOW, () => String(performance.timeOrigin + performance.now()))
      await sendAs(network, from, chat, { conversation: `${prefix}${number}` }, { id: idOf(number) })
    }
  }
  network.run(run())
  return { first_id: idOf(1), count }
}
