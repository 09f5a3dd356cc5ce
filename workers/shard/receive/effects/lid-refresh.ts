import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { type Clock, MINUTE } from '../../../../src/domain/clock.ts'
import type { Ask } from '../../connection/ask.ts'
import type { Identity, LidPair } from '../../connection/identity.ts'
import { bounded } from '../../retry/bounded.ts'
import { ackIn } from '../../wire/ack.ts'
import { bare, chatKind, jidUser } from '../../wire/jid.ts'
import { numberAnswers, numbersQuery } from '../../wire/number-query.ts'
import { isRefusal } from '../../wire/usync.ts'

export interface RefreshLidDeps {
  ask: Ask
  identity: Pick<Identity, 'pnOf'>
  storePairs(pairs: readonly LidPair[]): Promise<void>
  forgetDevices(jid: string): Promise<void>
  clock: Clock
  log: Pick<Logger, 'info'>
}

/** Minimum time in ms between two queries about the same jid on one connection, however many acks ask for it. */
const PAUSE = 10 * MINUTE
const MAX_ASKED = 10_000

export function createLidRefresh({
  ask,
  identity,
  storePairs,
  forgetDevices,
  clock,
  log,
}: RefreshLidDeps): (ack: BinaryNode) => void {
  const asked = bounded<true>(MAX_ASKED, PAUSE, clock.now)

  async function refresh(person: string) {
    const pn = person.endsWith('@lid') ? await identity.pnOf(person) : person
    if (pn === null) return
    const digits = jidUser(pn)
    const answers = await ask((sid) => numbersQuery([digits], sid))
    const found = numberAnswers(answers, [digits])
    const lid = isRefusal(found) ? null : (found.get(digits)?.lid ?? null)
    if (lid === null) return
    if (person.endsWith('@lid') && person !== bare(lid)) await forgetDevices(person)
    await storePairs([{ pn, lid: bare(lid) }])
  }

  // The handling of the ack does not need the result of the query, so the query runs in the background.
  return (ack) => {
    const { from, isLidOutdated } = ackIn(ack)
    const person = bare(from)
    if (!isLidOutdated || chatKind(person) !== 'user' || asked.get(person)) return
    asked.set(person, true)
    refresh(person).catch((error) => log.info({ err: error }, 'the LID of a contact could not be looked up'))
  }
}
