/**
 * Sends numbered messages of many kinds during several faults: kills, the death of a shard, and faults of the
 * connection, the network and the receiver. Every number must arrive with one event id, and in order, except for
 * the messages of `SHUFFLED`.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Receiver } from '../../harness/receiver.ts'
import type { Sandbox } from '../../harness/sandbox.ts'
import { startWorld } from '../../harness/world.ts'
import { pause, startGround, until } from '../ground.ts'
import { compare, firstDeliveries, line, outOfOrder } from '../ledger.ts'
import { createChats, createMixed, isForgotten, type Mixed, type Numbered, stanzaOf, wrongWith } from '../mixed.ts'
import { type Moody, makeMoody } from '../moody.ts'
import { createSeeded, type Seeded } from '../seeded.ts'
import { CONTACTS, PHONE } from '../traffic.ts'

const KILLS = 20
const CRASHES = 4
/** Steps of `windows.test.ts` at which the process is killed. This test combines them with all other faults. */
const STEPS = ['inbox:before-commit', 'inbox:after-commit', 'inbox:after-receipt', 'outbox:before-post', 'outbox:after-post']
/** The account also reports messages that its phone sends, because the phone sends some of the numbered messages. */
const OPTIONS = { webhooks: { notify_sent_by_me: true } }

/**
 * The network delays all messages of this contact by the same time. So they stay in order, but arrive later than those
 * of other contacts.
 */
const SLOW = CONTACTS[2]
/** The network reorders and loses messages of this contact, so their order is not checked. */
const SHUFFLED = CONTACTS[3]
const SLOW_BY = 40

const addresses = (phone: string) => [`${phone}@s.whatsapp.net`, `2${phone.padStart(14, '0')}@lid`]
const toUs = (match: Record<string, string> = {}) => ({ on: 'message', match: { direction: 'to_client', ...match } })

const slowDown = (sandbox: Sandbox) =>
  Promise.all(addresses(SLOW).map((from) => sandbox.fault({ ...toUs({ from }), do: { delay_ms: SLOW_BY } })))

async function trouble(sandbox: Sandbox, { pick, below, chance }: Seeded) {
  await sandbox.settings({ addressing: pick(['lid', 'pn']) })
  for (let count = 0; count < 4; count++) {
    const [alone, inGroup] = [toUs({ from: pick(addresses(SHUFFLED)) }), toUs({ participant: pick(addresses(SHUFFLED)) })]
    await sandbox.fault({ ...pick([alone, inGroup]), do: chance(0.2) ? 'drop' : { delay_ms: below(200) }, times: 1 })
  }
  await sandbox.fault({ on: 'message', do: 'duplicate', times: 1 + below(8) })
  // The network drops receipts of the client, and sends the unacknowledged messages again.
  await sandbox.fault({ on: 'receipt', match: { direction: 'from_client' }, do: 'drop', times: 1 + below(4) })
}

/** Sends messages in the background. The returned function `give` adds a number of messages to send. */
function startSending(mixed: Mixed, { below, chance }: Seeded) {
  let quota = 0
  let isOver = false
  let failure: unknown
  const running = (async () => {
    while (mixed.left > 0 && !isOver) {
      if (mixed.sent.length >= quota) await pause(5)
      else {
        await mixed.send()
        if (chance(0.3)) await pause(below(60))
      }
    }
  })().catch((error) => {
    failure = error
  })
  return {
    give(more: number) {
      quota += more
      if (failure) throw failure
    },
    async all() {
      quota = Number.POSITIVE_INFINITY
      await running
      if (failure) throw failure
    },
    async stop() {
      isOver = true
      await running
    },
  }
}

interface Scene {
  sandbox: Sandbox
  receiver: Receiver
  mixed: Mixed
  moody: Moody
}

/** The delivered events, without those that only report that a message cannot be decrypted yet. */
const readable = ({ moody }: Scene) => ({
  events: (type?: string) => moody.taken(type).filter(({ waiting_message }) => !waiting_message),
})

const settle = (scene: Scene) =>
  compare(
    readable(scene),
    'received',
    scene.mixed.sent.map(({ id }) => id),
    stanzaOf,
  )

async function waitForAll(scene: Scene, ms: number) {
  // At the deadline the wait ends without an error, because the caller counts and prints the messages that are still
  // missing.
  const deadline = Date.now() + ms
  await until('everything', () => settle(scene).lost.length === 0 || Date.now() > deadline, ms + 10_000)
}

async function check(t: TestContext, name: string, scene: Scene, { seed }: Seeded, facts: Record<string, string | number>) {
  const { sandbox, receiver, mixed, moody } = scene
  const { sent, unique, duplicates, lost, torn } = settle(scene)
  const byId = new Map(mixed.sent.map((each) => [each.id, each]))
  const nameOf = (id: string) => {
    const { number, kind, from, to } = byId.get(id) ?? { number: 0, kind: { name: 'unknown' }, from: '?', to: '?' }
    return `${number} ${kind.name} ${from} to ${to} (${id})`
  }
  const first = firstDeliveries(receiver.events('received'))
  const waiting = first.filter(({ waiting_message }) => waiting_message).length
  const failed = Object.entries(moody.counts).map(([mood, count]) => `${mood} ${count}`)
  const { undecryptable } = await sandbox.stats()
  const arrived = first.flatMap((event) => {
    const message = byId.get(stanzaOf(event))
    return message && !event.waiting_message ? [{ event, message }] : []
  })
  // The network may send a vote before its poll, so that the service cannot decrypt the vote. The order of event ids is
  // the order in which the service processed the messages.
  const eventIds = new Map(arrived.map(({ event, message }) => [message.id, event.event_id]))
  const isEarly = ({ from, about, id }: Numbered) =>
    from === SHUFFLED && about !== null && eventIds.get(about)! > eventIds.get(id)!
  const early = arrived.filter(({ event, message }) => isEarly(message) && event.message_type === 'unsupported')
  const forgotten = first.filter(isForgotten).length - early.filter(({ event }) => isForgotten(event)).length
  t.diagnostic(line(name, { seed, sent, unique, duplicates, lost: lost.length, ...facts }))
  t.diagnostic(
    line('receiver', {
      posts: receiver.received.length,
      failed: failed.join(' + '),
      waiting,
      forgotten,
      early: early.length,
      undecryptable,
    }),
  )
  const kinds = new Set(mixed.sent.map(({ kind }) => kind.name))
  t.diagnostic(`kinds: ${[...kinds].join(', ')}`)

  assert.deepEqual(lost.map(nameOf), [], 'lost')
  assert.deepEqual(torn.map(nameOf), [], 'messages with two event ids')
  assert.deepEqual(
    arrived
      .filter((each) => !early.includes(each))
      .map(({ event, message }) => wrongWith(message, event))
      .filter((wrong) => wrong !== null),
    [],
    'events that are not what was sent',
  )
  const wrong = outOfOrder(
    arrived.filter(({ message }) => message.from !== SHUFFLED),
    ({ event }) => String(event.phone),
    ({ message }) => message.number,
  )
  assert.deepEqual(wrong, [], 'out of order within a chat')
  assert.deepEqual(receiver.problems, [])
}

test('20 kills, cuts, a failing network and a failing receiver lose none of 1,000 mixed messages', {
  timeout: 600_000,
}, async (t) => {
  const seeded = createSeeded()
  const ground = await startGround()
  const { gateway, sandbox, receiver } = ground
  let sending: ReturnType<typeof startSending> | undefined
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver, OPTIONS)
    const mixed = createMixed(sandbox, await createChats(sandbox), 1_000, seeded)
    const scene = { sandbox, receiver, mixed, moody: makeMoody(receiver, seeded.apart()) }
    sending = startSending(mixed, seeded.apart())
    await slowDown(sandbox)
    let cuts = 0
    let inWindows = 0

    async function cut() {
      cuts++
      if (seeded.chance(0.5)) await sandbox.cut(PHONE)
      else await sandbox.fault({ ...toUs(), do: 'cut', times: 1 })
    }

    async function randomLife() {
      sending!.give(28)
      if (seeded.chance(0.7)) await gateway.waitForStatus(instance, 'connected')
      await pause(seeded.below(800))
      if (seeded.chance(0.7)) {
        await cut()
        await pause(seeded.below(1_500))
      }
      await ground.service.kill()
    }

    /** Resolves when the service has died at the chosen step. If it does not reach the step in time, it is killed. */
    async function endedInWindow(ended: Promise<unknown>) {
      sending!.give(28)
      const isReached = await Promise.race([ended.then(() => true), pause(4_000).then(() => false)])
      if (isReached) inWindows++
      else await ground.service.kill()
    }

    await randomLife()
    for (let kill = 1; kill < KILLS; kill++) {
      await trouble(sandbox, seeded)
      if (kill % 6 === 1) scene.moody.hangNext()
      // Some messages are sent while the service is down, so that they wait on the network.
      sending.give(20)
      await pause(seeded.below(100))
      if (kill % 3 !== 2) {
        await ground.start()
        await randomLife()
        continue
      }
      const step = `${seeded.pick(STEPS)}:${1 + seeded.below(30)}`
      const service = await ground.start({ SVC_TEST_KILL_AT: step }).catch((error: Error) => {
        if (!error.message.startsWith('ended with SIGKILL')) throw error
        return undefined
      })
      await endedInWindow(service?.ended ?? Promise.resolve())
    }
    await sandbox.clearFaults()
    scene.moody.hangNext()
    await ground.start()
    await sending.all()
    await waitForAll(scene, 60_000)
    const facts = { kills: KILLS, in_windows: inWindows, cuts, unreadable_at_first: ground.unreadable() ?? '?' }
    await check(t, 'mixed, kills', scene, seeded, facts)
  } finally {
    await sending?.stop()
    await ground.stop()
  }
})

test('four crashes of a shard lose none of 200 mixed messages', { timeout: 120_000 }, async (t) => {
  const seeded = createSeeded()
  const world = await startWorld({ own: true })
  const { gateway, sandbox, receiver, service } = world
  let sending: ReturnType<typeof startSending> | undefined
  try {
    const instance = await gateway.connected(sandbox, PHONE, receiver, OPTIONS)
    const mixed = createMixed(sandbox, await createChats(sandbox), 200, seeded)
    const scene = { sandbox, receiver, mixed, moody: makeMoody(receiver, seeded.apart()) }
    sending = startSending(mixed, seeded.apart())
    await slowDown(sandbox)
    // While the thread of the shard is down, `/status` answers with the last known state. So the test sends a request
    // that needs the session.
    const isBack = async () => (await gateway.ask(instance, 'GET', '/device')).status === 200
    for (let crash = 0; crash < CRASHES; crash++) {
      await until('the account is back', isBack)
      await trouble(sandbox, seeded)
      sending.give(40)
      await pause(seeded.below(400))
      await service.engine.crashShard(0)
      sending.give(10)
    }
    await sandbox.clearFaults()
    await until('the account is back', isBack)
    await sending.all()
    await waitForAll(scene, 60_000)
    await check(t, 'mixed, crashes', scene, seeded, { crashes: CRASHES })
  } finally {
    await sending?.stop()
    await world.stop()
  }
})
