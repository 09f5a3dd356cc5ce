/** Kills the service exactly between two steps of its work (SVC_TEST_KILL_AT). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Running } from '../../harness/process.ts'
import { pause, startGround, until } from '../ground.ts'
import { compare, line } from '../ledger.ts'
import {
  assertIncomingOrder,
  assertOutgoingOrder,
  burstIds,
  CONTACTS,
  createPeople,
  MEMBERS,
  type Owed,
  PHONE,
  sendOwed,
  settleOutgoing,
  waitForAll,
} from '../traffic.ts'

interface Round {
  step: string
  count: number
  /**
   * `backlog`: the texts wait on the network when the service starts. `live`: the texts arrive while the service is
   * connected. `sends`: the account sends the texts.
   */
  traffic: 'live' | 'backlog' | 'sends'
}

const inbound = (step: string, early: number, late: number, inBacklog: number): Round[] => [
  { step, count: early, traffic: 'live' },
  { step, count: late, traffic: 'live' },
  { step, count: inBacklog, traffic: 'backlog' },
]
const outbound = (step: string): Round[] => [
  { step, count: 1, traffic: 'sends' },
  { step, count: 5, traffic: 'sends' },
]
const ROUNDS: Round[] = [
  ...inbound('inbox:before-commit', 1, 20, 12),
  ...inbound('inbox:after-commit', 1, 20, 12),
  ...inbound('inbox:after-receipt', 1, 20, 12),
  // The first five events report state changes during the start, so the kill at the sixth event is the first one at a
  // text.
  ...inbound('outbox:before-post', 6, 20, 12),
  ...inbound('outbox:after-post', 6, 20, 12),
  { step: 'outbox:settled', count: 12, traffic: 'backlog' },
  ...outbound('queue:before-send'),
  ...outbound('queue:after-send'),
  ...outbound('queue:settled'),
]
const TEXTS = { alone: 20, group: 12 }
const SENDS = 6

interface Account {
  round: Round
  ids: string[]
  owed: Owed[]
  sending: Promise<void>
}

test('a kill inside any window loses nothing', { timeout: 900_000 }, async (t) => {
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver)
    const { group } = await createPeople(sandbox)
    const accounts: Account[] = []
    await ground.service.kill()

    async function texts(name: string): Promise<string[]> {
      const alone = await sandbox.burst(CONTACTS[2], PHONE, TEXTS.alone, `${name} alone `)
      const inGroup = await sandbox.burst(MEMBERS[0], group, TEXTS.group, `${name} group `)
      return [...burstIds(alone), ...burstIds(inGroup)]
    }

    const everything = (ms: number) =>
      waitForAll(
        ground,
        accounts.flatMap(({ ids }) => ids),
        accounts.flatMap(({ owed }) => owed),
        ms,
      )

    /**
     * Runs the service until all earlier work is done, and waits for at most 10 s for the texts. Otherwise, the service
     * could be killed during that work, and not while it handles the new texts.
     */
    async function quietLife() {
      await ground.start()
      await gateway.waitForStatus(instance, 'connected')
      await everything(10_000)
      // The service acknowledges the data of the pairing first, and processes it a moment later. This work must not
      // trigger the kill before the new texts do.
      await until('nothing that the network would give out again', async () => (await sandbox.pending()) === 0)
      await pause(300)
      await ground.service.kill()
    }

    /**
     * Starts the service so that it dies at the step. Resolves with undefined if it died before it reported that it had
     * started, which is also a valid moment.
     */
    const startDoomed = ({ step, count }: Round) =>
      ground.start({ SVC_TEST_KILL_AT: `${step}:${count}` }).catch((error: Error) => {
        if (error.message.startsWith('ended with SIGKILL')) return undefined
        throw error
      })

    async function startLive(round: Round) {
      for (let tries = 0; tries < 6; tries++) {
        await quietLife()
        const service = await startDoomed(round)
        const isUp = await gateway.waitForStatus(instance, 'connected').then(
          () => true,
          () => false,
        )
        if (service && isUp) return service
        await service?.kill()
      }
      throw new Error(`the service was killed at ${round.step}:${round.count} before the first message arrived`)
    }

    async function runRound(round: Round, index: number): Promise<Account> {
      const account: Account = { round, ids: [], owed: [], sending: Promise.resolve() }
      const name = `round ${index}`
      if (round.traffic === 'backlog') account.ids = await texts(name)
      const service = await (round.traffic === 'live' ? startLive(round) : startDoomed(round))
      if (round.traffic === 'live') account.ids = await texts(name)
      // The service may die before it acknowledges the last send. The sends continue when the next run of the service
      // answers.
      const sends = async () => {
        for (let number = 1; number <= SENDS; number++) {
          account.owed.push(await sendOwed(ground, instance, number % 2 ? CONTACTS[3] : group, `${name} out ${number}`))
        }
      }
      if (round.traffic === 'sends') account.sending = sends()
      if (service) await ending(round, service)
      return account
    }

    for (const [index, round] of ROUNDS.entries()) accounts.push(await runRound(round, index))
    await ground.start()
    await gateway.waitForStatus(instance, 'connected')
    await Promise.all(accounts.map(({ sending }) => sending))
    await everything(60_000)
    for (const step of new Set(ROUNDS.map((round) => round.step))) await report(step)

    async function report(step: string) {
      const own = accounts.filter(({ round }) => round.step === step)
      const incoming = compare(
        receiver,
        'received',
        own.flatMap(({ ids }) => ids),
      )
      const outgoing = await settleOutgoing(
        ground,
        own.flatMap(({ owed }) => owed),
      )
      const lost = [...incoming.lost, ...outgoing.lost]
      t.diagnostic(
        line(step, {
          kills: own.length,
          sent: incoming.sent + outgoing.sent,
          unique: incoming.unique + outgoing.unique,
          lost: lost.length,
        }),
      )
      assert.deepEqual(lost, [], step)
    }

    const all = compare(receiver, 'received', [])
    const { undecryptable } = await sandbox.stats()
    const unread = ground.unreadable() ?? '?'
    t.diagnostic(
      line('windows', { kills: ROUNDS.length, duplicates: all.duplicates, undecryptable, unreadable_at_first: unread }),
    )
    assert.deepEqual(all.torn, [], 'messages with two event ids')
    assertIncomingOrder(ground)
    await assertOutgoingOrder(ground)
    assert.deepEqual(receiver.problems, [])
  } finally {
    await ground.stop()
  }
})

/** Waits until the service dies at the step. Rejects at the deadline, because the step was then not reached. */
async function ending({ step, count, traffic }: Round, { ended }: Running): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${step}:${count} (${traffic}) was not reached`)), 20_000)
  })
  const { signal } = await Promise.race([ended, late])
  clearTimeout(timer)
  assert.equal(signal, 'SIGKILL')
}
