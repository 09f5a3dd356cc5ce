import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Burst } from '../control/network-control.ts'
import { digits, isGroup } from './jid.ts'
import type { Network, Person } from './model.ts'
import { newMessageId, sendAs } from './send-as.ts'

/** Number of messages after which the thread can do other work. */
const CHUNK = 16

/**
 * Placeholder in the texts of a burst. It is replaced by the time in epoch ms with decimals, so that the receiver can
 * measure the delay.
 */
const NOW = '{now}'

const epoch = () => performance.timeOrigin + performance.now()

/** Sends numbered texts, whether or not the receiver is connected. */
export function startBurst(network: Network, from: Person, { to, count, textPrefix, perSecond, leadMs }: Burst) {
  const base = newMessageId().slice(0, -6)
  // The id ends in the number of the message, so it is readable and unique.
  const idOf = (number: number) => `${base}${String(number).padStart(6, '0')}`
  const chat = isGroup(to) ? to : digits(to)
  const first = epoch() + (leadMs ?? 0)
  const dueOf = (number: number) => (perSecond === undefined ? first : first + ((number - 1) * 1_000) / perSecond)
  // A reset removes all people, including the sender, so the burst must stop.
  const isThere = () => network.people.get(from.number) === from

  async function due(number: number) {
    const ms = dueOf(number) - epoch()
    // A timer must not end before its text is due, so the delay is rounded up.
    if (ms > 0) await new Promise<void>((resolve) => network.later(Math.ceil(ms), resolve))
    else if (number % CHUNK === 0) await nextTurn()
  }

  function send(number: number, at: number, leave?: (send: () => void) => void) {
    const conversation = `${textPrefix.replace(NOW, () => String(at))}${number}`
    return sendAs(network, from, chat, { conversation }, { id: idOf(number), leave })
  }

  async function oneByOne() {
    for (let number = 1; number <= count && isThere(); number++) {
      await due(number)
      await send(number, epoch())
    }
  }

  /** Encrypts all texts before the first one is sent, so that a measurement does not include the encryption. */
  async function ahead() {
    const departures: (() => void)[][] = []
    for (let number = 1; number <= count && isThere(); number++) {
      const stanzas: (() => void)[] = []
      departures.push(stanzas)
      await send(number, dueOf(number), (leave) => stanzas.push(leave))
      if (number % CHUNK === 0) await nextTurn()
    }
    for (const [index, stanzas] of departures.entries()) {
      await due(index + 1)
      if (!isThere()) return
      for (const leave of stanzas) leave()
    }
  }

  network.run(leadMs === undefined ? oneByOne() : ahead())
  return { first_id: idOf(1), count }
}
