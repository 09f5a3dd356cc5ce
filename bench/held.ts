/**
 * How long one thing that comes in holds the thread of a shard, when others made it large. One instance in this process, the network in its
 * own thread. Printed for each: the longest stretch in which the loop did not turn, as the wall saw it and in processor time of this thread
 * alone (on a busy machine the first is mostly waiting for a processor), and when all of it was done.
 */
import { readFileSync } from 'node:fs'
import { keys } from '../src/storage/record-keys.ts'
import { until } from '../test/faults/ground.ts'
import { type HostedWorld, startHosted } from '../test/faults/hosted.ts'
import { INSTANCE } from '../test/unit/storage/fixtures.ts'
import { createKeyCache, createKeyStore } from '../workers/shard/keys/key-store.ts'
import { report, round, sleep } from './measure.ts'

const ME = '5511999990001'
const ANA = '5511988880001'
const wanted = process.env.BENCH_HELD?.split(',')

/** Processor time of this thread, in ms. */
const cpu = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6

/** Looks as often as it can be looked without making a difference. */
function watchLoop() {
  const EVERY = 2
  let at = performance.now()
  let used = cpu()
  let longest = { wall: 0, cpu: 0 }
  const timer = setInterval(() => {
    const [now, total] = [performance.now(), cpu()]
    const held = { wall: now - at - EVERY, cpu: Math.min(total - used, now - at) }
    if (held.cpu > longest.cpu) longest = held
    at = now
    used = total
  }, EVERY)
  return {
    stop() {
      clearInterval(timer)
      return { held_cpu_ms: round(longest.cpu, 0), held_wall_ms: round(longest.wall, 0) }
    },
  }
}

interface Case {
  name: string
  account?: Record<string, unknown>
  /** What sends it. */
  prepare(world: HostedWorld): Promise<() => Promise<unknown>>
  /** Until it is through; absent: until a text sent behind it has come. */
  done?(world: HostedWorld): Promise<unknown>
}

const seconds = () => String(Math.floor(Date.now() / 1000))
/** Made and sent before the watch begins: its text is as large as what it asks for. */
async function post({ sandbox }: HostedWorld, path: string, body: unknown) {
  const text = JSON.stringify(body)
  return async () => {
    const answer = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
}
const push = (world: HostedWorld, node: unknown) => post(world, '/stanzas', { phone: ME, node })
const message = (world: HostedWorld, proto: unknown) => post(world, `/contacts/${ANA}/send`, { to: ME, message: { proto } })
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const pn = (index: number) => `${15_550_200_000 + index}@s.whatsapp.net`
const lid = (index: number) => `${81_896_700_000_000 + index}@lid`
const GROUP = '120363000000000001@g.us'

async function behind({ sandbox, receiver }: HostedWorld) {
  const { id } = await sandbox.send(ANA, ME, { text: 'behind it' })
  await receiver.waitFor('behind it', ({ message_id }) => message_id === id)
}

const notification = (type: string, from: string, content: unknown[]) => [
  'notification',
  { type, from, id: 'N1', t: seconds(), participant: `${ANA}@s.whatsapp.net` },
  content,
]
const both = (count: number, from = 0) =>
  times(count, (index) => ['participant', { jid: lid(from + index), phone_number: pn(from + index) }])

const all: Case[] = [
  { name: 'a text', prepare: async () => async () => {} },
  {
    name: 'a receipt for 100,000 ids that are not ours',
    prepare: (world) =>
      push(world, [
        'receipt',
        { from: `${ANA}@s.whatsapp.net`, id: 'A', type: 'read', t: seconds() },
        [['list', {}, times(100_000, (index) => ['item', { id: `3EB0${index.toString(16).toUpperCase().padStart(16, '0')}` }])]],
      ]),
  },
  {
    name: 'a text with 100,000 mentions',
    prepare: (world) =>
      message(world, { extendedTextMessage: { text: 'all', contextInfo: { mentionedJid: times(100_000, lid) } } }),
  },
  {
    name: 'a list of 100,000 rows',
    prepare: (world) =>
      message(world, {
        listMessage: {
          title: 'rows',
          listType: 1,
          sections: [{ title: 'all', rows: times(100_000, (index) => ({ title: `row ${index}`, rowId: String(index) })) }],
        },
      }),
  },
  { name: 'a text of 10 MB', prepare: (world) => message(world, { conversation: 'x'.repeat(10 * 2 ** 20) }) },
  {
    name: 'a notice of 20,000 members added to a group',
    prepare: (world) => push(world, notification('w:gp2', GROUP, [['add', {}, both(20_000)]])),
  },
  {
    name: 'a notice of 20,000 devices of a contact',
    prepare: (world) =>
      push(
        world,
        notification('devices', `${ANA}@s.whatsapp.net`, [
          [
            'update',
            {},
            times(20_000, (index) => ['device', { jid: `${ANA}:${index}@s.whatsapp.net`, 'key-index': String(index) }]),
          ],
        ]),
      ),
  },
  {
    name: 'a notice of 20,000 devices of the account',
    prepare: (world) =>
      push(
        world,
        notification('account_sync', `${ME}@s.whatsapp.net`, [
          ['devices', { dhash: '2:x' }, times(20_000, (index) => ['device', { jid: `${ME}:${index}@s.whatsapp.net` }])],
        ]),
      ),
  },
  {
    name: 'a receipt of 20,000 members of a group',
    prepare: (world) =>
      push(world, [
        'receipt',
        { from: GROUP, id: 'A', type: 'read', t: seconds(), participant: lid(1) },
        [['participants', { key: 'A' }, times(20_000, (index) => ['user', { jid: lid(index), t: seconds() }])]],
      ]),
  },
  {
    name: 'a history of 20,000 chats',
    account: { history: { chats: 20_000, contacts: 20_000, messages: 3 } },
    prepare: async () => async () => {},
    async done(world) {
      const known = () => createKeyStore(INSTANCE, world.store, world.sealer, createKeyCache({ maxEntries: 1 }))
      const isRead = async () => (await known().get('lid-mapping', '15550120002')) !== undefined
      await until('the history is read', isRead, 300_000)
      await behind(world)
    },
  },
  {
    name: 'an address book of 20,000',
    account: { history: { chats: 0, contacts: 0, saved: 20_000 } },
    prepare: async () => async () => {},
    async done(world) {
      // The last of them.
      const isRead = async () =>
        (await world.store.get(keys.savedContact(INSTANCE, world.sealer.blind('15550120002')))) !== undefined
      await until('all are saved', isRead, 300_000)
      await behind(world)
    },
  },
  {
    name: '2,000 groups of 50 members, no two of them the same',
    async prepare(world) {
      const members = (group: number) => times(50, (index) => both(1, group * 50 + index)[0])
      const groups = times(2_000, (number) => [
        'group',
        { id: `${120_363_000_000_000_000 + number * 1_000}`, subject: `group ${number}`, creation: '1', s_t: '1' },
        members(number),
      ])
      const match = { xmlns: 'w:g2', child: 'participating' }
      await (await post(world, '/answers', { match, do: { result: [['groups', {}, groups]] } }))()
      return push(world, ['ib', { from: 's.whatsapp.net' }, [['dirty', { type: 'groups', timestamp: seconds() }]]])
    },
    async done(world) {
      const known = () => createKeyStore(INSTANCE, world.store, world.sealer, createKeyCache({ maxEntries: 1 }))
      const last = String(15_550_200_000 + 100_000 - 1)
      await until('all are known', async () => (await known().get('lid-mapping', last)) !== undefined, 300_000)
      await behind(world)
    },
  },
  {
    name: '2,000 groups of 50 members, all asked for',
    async prepare(world) {
      const members = times(48, (index) => `1555030${1_000 + index}`)
      for (let index = 0; index < 2_000; index++)
        await world.sandbox.createGroup({ subject: `group ${index}`, owner: ANA, participants: [ME, ...members] })
      await until('all notices are read', async () => (await world.sandbox.pending()) === 0, 300_000)
      return push(world, ['ib', { from: 's.whatsapp.net' }, [['dirty', { type: 'groups', timestamp: seconds() }]]])
    },
    async done(world) {
      await sleep(5_000)
      await behind(world)
    },
  },
]

for (const { name, account, prepare, done = behind } of all) {
  if (wanted && !wanted.some((word) => name.includes(word))) continue
  const world = await startHosted(ME, {}, account)
  await world.sandbox.createContact(ANA)
  if (!account) await behind(world)
  const send = await prepare(world)
  if (!account) await sleep(300)
  const loop = watchLoop()
  const began = performance.now()
  await send()
  await done(world)
  report(`how long ${name} holds the shard`, { ...loop.stop(), done_ms: round(performance.now() - began, 0) })
  await world.stop()
}
process.exit(0)
