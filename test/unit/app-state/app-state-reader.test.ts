import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { type BinaryNode, getBinaryNodeChildren, hmacSign, proto, type WAPatchName } from '@whiskeysockets/baileys'
import type { Reading } from '../../../workers/shard/app-state/app-state.ts'
import { createAppStateReader } from '../../../workers/shard/app-state/app-state-reader.ts'
import {
  type AppStateChange,
  contactChange,
  contactRemovals,
  labelledChange,
  pinChange,
  pushNameChange,
} from '../../../workers/shard/wire/app-state-actions.ts'
import { type CollectionState, newCollection } from '../../../workers/shard/wire/app-state-collection.ts'
import { appStatePatch, mutationKeys, snapshotMacOf } from '../../../workers/shard/wire/app-state-patch.ts'
import { recordingLog } from '../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const ANA_LID = '81896604190001@lid'
const KEY = { id: Buffer.of(0, 0, 0, 7), data: Buffer.alloc(32, 5) }
const NOW = 1_800_000_000_000
const CONTACTS = 'critical_unblock_low'

const contact = (index: number, name = `Person ${index}`) =>
  contactChange(
    { pn: `${15_550_200_000 + index}@s.whatsapp.net`, lid: `${81_896_700_000_000 + index}@lid` },
    { fullName: name, firstName: name, onPhone: true },
    NOW,
  )

function phone(name: WAPatchName) {
  let state: CollectionState = newCollection()
  const patches: Uint8Array[] = []
  const records = new Map<string, proto.ISyncdRecord>()
  const files = new Map<string, Uint8Array>()
  function place(path: string, bytes: Uint8Array): proto.IExternalBlobReference {
    files.set(path, bytes)
    return { mediaKey: Buffer.alloc(32, 1), directPath: path }
  }
  return {
    name,
    patches,
    files,
    write(...changes: AppStateChange[]) {
      const made = appStatePatch(name, changes, KEY, state)
      assert.ok(made)
      state = made.state
      const decoded = proto.SyncdPatch.decode(made.patch)
      for (const { operation, record } of decoded.mutations) {
        const index = Buffer.from(record?.index?.blob ?? []).toString('hex')
        if (operation === proto.SyncdMutation.SyncdOperation.REMOVE) records.delete(index)
        else records.set(index, record!)
      }
      decoded.version = { version: state.version }
      patches.push(proto.SyncdPatch.encode(decoded).finish())
    },
    moveToFile() {
      const { mutations, ...patch } = proto.SyncdPatch.decode(patches.pop()!)
      const file = proto.SyncdMutations.encode(proto.SyncdMutations.fromObject({ mutations })).finish()
      const externalMutations = place('/patch', file)
      patches.push(proto.SyncdPatch.encode(proto.SyncdPatch.fromObject({ ...patch, externalMutations })).finish())
    },
    snapshot(change: proto.ISyncdSnapshot = {}): Uint8Array {
      const snapshot = proto.SyncdSnapshot.fromObject({
        version: { version: state.version },
        records: [...records.values()],
        mac: snapshotMacOf(mutationKeys(KEY.data), name, state.version, state.hash),
        keyId: { id: KEY.id },
        ...change,
      })
      return proto.ExternalBlobReference.encode(place('/snapshot', proto.SyncdSnapshot.encode(snapshot).finish())).finish()
    },
    get version() {
      return state.version
    },
  }
}

type Phone = ReturnType<typeof phone>

function bench() {
  const phones: Phone[] = []
  const asked: Record<string, string>[] = []
  const readings: Reading[] = []
  const stored = new Map<string, Uint8Array>()
  const pairs: { pn: string; lid: string }[] = []
  const ev = new EventEmitter()
  const b = {
    ev,
    asked,
    readings,
    stored,
    pairs,
    creds: { accountSyncCounter: 1, me: { id: '5511999990001:1@s.whatsapp.net', name: 'Before' } } as Record<string, unknown>,
    key: KEY.data as Buffer | undefined,
    saved: [] as { pn: string | null; lid: string | null }[],
    has(...some: Phone[]) {
      phones.push(...some)
    },
    /**
     * Prepared answer of the network. If undefined, the network answers with the phone's patches since the queried
     * version.
     */
    answer: undefined as undefined | ((collection: Record<string, string>) => BinaryNode),
    last: () => readings.at(-1)!,
    actions: () => readings.flatMap(({ actions }) => actions.map(({ index, value }) => [index.join(' '), value !== null])),
  }
  const patchesBehind = (attrs: Record<string, string>): BinaryNode => {
    const one = phones.find(({ name }) => name === attrs.name)
    const patches = (one?.patches ?? []).slice(Number(attrs.version))
    return {
      tag: 'collection',
      attrs: { name: attrs.name!, version: String(one?.version ?? 0) },
      content: [{ tag: 'patches', attrs: {}, content: patches.map((content) => ({ tag: 'patch', attrs: {}, content })) }],
    }
  }
  const log = recordingLog()
  const reader = createAppStateReader({
    sock: {
      ev: ev as never,
      async query(node: BinaryNode) {
        const [sync] = node.content as BinaryNode[]
        const collections = getBinaryNodeChildren(sync, 'collection').map(({ attrs }) => attrs as Record<string, string>)
        asked.push(...collections)
        const answers = collections.map((attrs) => (b.answer ?? patchesBehind)(attrs))
        return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'sync', attrs: {}, content: answers }] } as never
      },
    },
    creds: b.creds as never,
    appState: {
      stored: async (collection) => stored.get(collection),
      take(reading) {
        readings.push(reading)
        stored.set(reading.collection, reading.bytes)
      },
      async forget(collections) {
        for (const each of collections) stored.delete(each)
      },
      settled: async () => {},
    },
    keyOf: async (id) => (id === KEY.id.toString('base64') ? b.key : undefined),
    async readFile(_, path, read) {
      const bytes = phones.map(({ files }) => files.get(path)).find(Boolean)
      assert.ok(bytes, path)
      return read(
        (async function* () {
          yield bytes
        })(),
      )
    },
    async learnPairs(some) {
      pairs.push(...some)
    },
    savedPeople: async () => b.saved,
    log,
  })
  const warnings = () => log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)
  return Object.assign(b, { reader, patchesBehind, warnings })
}

const collection = (attrs: Record<string, string>, child?: BinaryNode): BinaryNode => ({
  tag: 'collection',
  attrs,
  content: child ? [child] : [],
})

test('what stands there first is history, what comes behind it is news, and of two changes to one thing the later one counts', async () => {
  const b = bench()
  const labels = phone('regular')
  b.has(labels)
  labels.write(labelledChange('1', ANA, true, NOW))
  await b.reader.read(['regular'])
  assert.deepEqual([b.last().isHistory, b.last().version, b.actions()], [true, 1, [[`label_jid 1 ${ANA}`, true]]])
  labels.write(labelledChange('2', ANA, true, NOW))
  labels.write(labelledChange('2', ANA, false, NOW))
  await b.reader.read(['regular'])
  const { isHistory, version, associations } = b.last()
  assert.deepEqual([isHistory, version, associations], [false, 3, [{ chat: ANA, label: '2', assigned: false }]])
  assert.deepEqual(
    b.asked.map(({ version, return_snapshot }) => [version, return_snapshot]),
    [
      ['0', 'true'],
      ['1', 'false'],
    ],
  )
  assert.equal(await b.reader.version('regular'), 3)
})

test('a collection that is empty at first is remembered: its first entry is news', async () => {
  const b = bench()
  const labels = phone('regular')
  b.has(labels)
  await b.reader.read(['regular'])
  labels.write(labelledChange('1', ANA, true, NOW))
  await b.reader.read(['regular'])
  assert.deepEqual(
    b.readings.map(({ isHistory }) => isHistory),
    [true, false],
  )
})

test('twenty thousand people come as a file, in pieces; what is saved and taken off later is told, with number and LID', async (t) => {
  const COUNT = 20_000
  const b = bench()
  const people = phone(CONTACTS)
  b.has(people)
  people.write(...Array.from({ length: COUNT }, (_, index) => contact(index)))
  b.answer = ({ name = '' }) => collection({ name, version: '1' }, { tag: 'snapshot', attrs: {}, content: people.snapshot() })
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const began = performance.now()
  await b.reader.read([CONTACTS])
  clearInterval(timer)
  t.diagnostic(`${COUNT} people in ${Math.round(performance.now() - began)} ms; the loop turned ${turns} times meanwhile`)
  assert.ok(turns > 10, 'others had their turns')
  assert.deepEqual([b.last().contacts.length, b.pairs.length, b.last().version], [COUNT, COUNT, 1])
  assert.deepEqual(b.last().contacts[7], {
    id: '15550200007@s.whatsapp.net',
    name: 'Person 7',
    lid: '81896700000007@lid',
    phoneNumber: '15550200007@s.whatsapp.net',
  })
  b.answer = undefined
  people.write(contact(7, 'Renamed'), ...contactRemovals({ pn: '15550200008@s.whatsapp.net', lid: null }))
  await b.reader.read([CONTACTS])
  assert.deepEqual(
    b.last().contacts.map(({ id, name }) => [id, name]),
    [
      ['15550200007@s.whatsapp.net', 'Renamed'],
      ['15550200008@s.whatsapp.net', undefined],
    ],
  )
  assert.deepEqual(b.asked.at(-1), { name: CONTACTS, version: '1', return_snapshot: 'false' })
})

test('a patch whose entries lie in a file is read, and more is asked for until there is none', async () => {
  const b = bench()
  const people = phone(CONTACTS)
  b.has(people)
  people.write(contact(1))
  people.write(contact(2), contact(3))
  people.moveToFile()
  b.answer = (attrs) => {
    const all = b.patchesBehind(attrs)
    const [patches] = all.content as BinaryNode[]
    const left = patches!.content as BinaryNode[]
    patches!.content = left.slice(0, 1)
    all.attrs.has_more_patches = String(left.length > 1)
    return all
  }
  await b.reader.read([CONTACTS])
  assert.deepEqual(
    b.readings.map(({ version, contacts }) => [version, contacts.length]),
    [
      [1, 1],
      [2, 2],
    ],
  )
})

test('what no key opens waits for one, and is read when it comes', async () => {
  const b = bench()
  const pins = phone('regular_low')
  b.has(pins)
  pins.write(pinChange(ANA, true, NOW))
  b.key = undefined
  await b.reader.read(['regular_low'])
  assert.deepEqual([b.readings.length, b.asked.map(({ return_snapshot }) => return_snapshot)], [0, ['true', 'true']])
  b.key = KEY.data
  b.ev.emit('creds.update', { myAppStateKeyId: 'BwAA' })
  while (b.readings.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(b.actions(), [[`pin_v1 ${ANA}`, true]])
})

test('a device that has read nothing yet reads everything with its first key, once, and says so', async () => {
  const b = bench()
  const name = phone('critical_block')
  b.has(name)
  name.write(pushNameChange('Theirs', NOW))
  b.creds.accountSyncCounter = 0
  b.reader.loggedIn()
  assert.equal(b.asked.length, 0)
  const told: Record<string, unknown>[] = []
  b.ev.on('creds.update', (update) => {
    told.push(update)
    Object.assign(b.creds, update)
  })
  b.ev.emit('creds.update', { myAppStateKeyId: 'BwAA' })
  b.reader.loggedIn()
  while (!b.creds.accountSyncCounter) await new Promise((resolve) => setImmediate(resolve))
  await b.reader.read([])
  assert.equal(b.asked.length, 5)
  assert.deepEqual(
    told.map((update) => Object.keys(update)[0]),
    ['myAppStateKeyId', 'me', 'accountSyncCounter'],
  )
  assert.equal((b.creds.me as { name: string }).name, 'Theirs')
  assert.deepEqual([b.last().isHistory, b.readings.find(({ name }) => name)?.name], [true, 'Theirs'])
})

test('whether a new message unarchives its chat is a setting of the account', async () => {
  const b = bench()
  const settings = phone('regular_low')
  b.has(settings)
  b.ev.on('creds.update', (update) => Object.assign(b.creds, update))
  const unarchives = (isOn: boolean): AppStateChange => ({
    collection: 'regular_low',
    version: 4,
    index: ['setting_unarchiveChats'],
    value: { timestamp: NOW, unarchiveChatsSetting: { unarchiveChats: isOn } },
  })
  b.creds.accountSettings = { unarchiveChats: false, defaultDisappearingMode: { ephemeralExpiration: 60 } }
  for (const isOn of [true, false]) {
    settings.write(unarchives(isOn))
    await b.reader.read(['regular_low'])
    assert.deepEqual(b.creds.accountSettings, {
      unarchiveChats: isOn,
      defaultDisappearingMode: { ephemeralExpiration: 60 },
    })
  }
  settings.write(pinChange(ANA, true, NOW))
  await b.reader.read(['regular_low'])
  assert.deepEqual((b.creds.me as { name: string }).name, 'Before')
})

test('a damaged patch is not taken: everything is asked for, and then what can be read of it is', async () => {
  const b = bench()
  const pins = phone('regular_low')
  b.has(pins)
  pins.write(pinChange(ANA, true, NOW))
  await b.reader.read(['regular_low'])
  pins.write(pinChange(ANA_LID, true, NOW))
  const decoded = proto.SyncdPatch.decode(pins.patches[1]!)
  decoded.patchMac = Buffer.alloc(32)
  pins.patches[1] = proto.SyncdPatch.encode(decoded).finish()
  pins.write(pinChange('5511988880002@s.whatsapp.net', true, NOW))
  await b.reader.read(['regular_low'])
  assert.deepEqual(
    b.asked.map(({ version, return_snapshot }) => [version, return_snapshot]),
    [
      ['0', 'true'],
      ['1', 'false'],
      ['1', 'true'],
    ],
  )
  // A damaged patch must not block later changes.
  assert.deepEqual(b.actions().slice(1), [['pin_v1 5511988880002@s.whatsapp.net', true]])
  assert.equal(b.last().version, 3)
})

test('a snapshot with a wrong MAC is asked for once more; if it is wrong again, it is used with a warning, and nobody is removed', async () => {
  for (const isPermanent of [false, true]) {
    const b = bench()
    const book = phone(CONTACTS)
    b.has(book)
    book.write(contact(1), contact(2))
    b.saved = [{ pn: ANA, lid: null }]
    b.answer = () => {
      const isWrong = isPermanent || b.asked.length === 1
      const content = book.snapshot(isWrong ? { mac: Buffer.alloc(32) } : {})
      return collection({ name: CONTACTS }, { tag: 'snapshot', attrs: {}, content })
    }
    await b.reader.read([CONTACTS])
    const count = b.asked.length
    const added = b.actions().filter(([, isThere]) => isThere).length
    const removed = b.actions().filter(([, isThere]) => !isThere)
    assert.deepEqual([count, b.readings.length, added], [2, 1, 2])
    assert.deepEqual(removed, isPermanent ? [] : [[`contact ${ANA}`, false]])
    assert.equal(b.warnings().length, isPermanent ? 1 : 0)
    // Later patches of the same collection are still read, at most with one more query.
    book.write(contact(3))
    b.answer = undefined
    await b.reader.read([CONTACTS])
    assert.equal(b.last().version, 2)
  }
})

test('who is kept of a reading that was cut off, and is not in the address book any more, is removed', async () => {
  const b = bench()
  const book = phone(CONTACTS)
  b.has(book)
  const person = (index: number) => ({
    pn: `${15_550_200_000 + index}@s.whatsapp.net`,
    lid: `${81_896_700_000_000 + index}@lid`,
  })
  b.saved = [person(1), { pn: null, lid: person(2).lid }, { pn: person(3).pn, lid: null }, person(4), { pn: null, lid: ANA_LID }]
  book.write(contact(1), contact(2), contact(3), contact(5))
  b.answer = () => collection({ name: CONTACTS }, { tag: 'snapshot', attrs: {}, content: book.snapshot() })
  await b.reader.read([CONTACTS])
  assert.deepEqual(
    b.actions().filter(([, isThere]) => !isThere),
    [
      [`contact ${person(4).pn}`, false],
      [`lid_contact ${person(4).lid}`, false],
      [`lid_contact ${ANA_LID}`, false],
    ],
  )
  // The first reading has ended. From now on, every change must be reported.
  book.write(contact(6))
  b.answer = undefined
  await b.reader.read([CONTACTS])
  assert.equal(b.last().actions.length, 1)
})

test('nobody is removed by what could not be read, by another collection, or by an answer with nothing in it', async () => {
  const kept = [{ pn: ANA, lid: ANA_LID }]
  const book = phone(CONTACTS)
  book.write(contact(1), contact(2))
  const damaged = proto.SyncdPatch.decode(book.patches[0]!)
  damaged.mutations[0]!.record!.value!.blob = Buffer.alloc(80)
  const labels = phone('regular')
  labels.write(labelledChange('1', ANA, true, NOW))
  for (const [name, patches] of [
    [CONTACTS, [proto.SyncdPatch.encode(damaged).finish()]],
    ['regular', labels.patches],
    [CONTACTS, []],
  ] as const) {
    const b = bench()
    b.saved = kept
    const content = patches.map((patch) => ({ tag: 'patch', attrs: {}, content: patch }))
    b.answer = () => collection({ name, version: '1' }, { tag: 'patches', attrs: {}, content })
    await b.reader.read([name])
    assert.equal(b.readings.length, 1)
    assert.deepEqual(
      b.actions().filter(([, isThere]) => !isThere),
      [],
    )
  }
})

test('what stands in a snapshot as it is known is no news', async () => {
  const b = bench()
  const labels = phone('regular')
  b.has(labels)
  labels.write(labelledChange('1', ANA, true, NOW), labelledChange('2', ANA, true, NOW))
  await b.reader.read(['regular'])
  labels.write(labelledChange('2', ANA, false, NOW))
  b.answer = ({ name = '' }) => collection({ name, version: '2' }, { tag: 'snapshot', attrs: {}, content: labels.snapshot() })
  await b.reader.read(['regular'])
  assert.deepEqual([b.last().isHistory, b.last().associations], [false, [{ chat: ANA, label: '2', assigned: false }]])
})

test('a value under the index of another one, or with a wrong MAC, is nobody’s action', async () => {
  const b = bench()
  const pins = phone('regular_low')
  b.has(pins)
  pins.write(pinChange(ANA, true, NOW), pinChange(ANA_LID, true, NOW))
  const patch = proto.SyncdPatch.decode(pins.patches[0]!)
  const keys = mutationKeys(KEY.data)
  patch.mutations[0]!.record!.index!.blob = hmacSign(Buffer.from('["pin_v1","somebody"]'), keys.indexKey)
  pins.patches[0] = proto.SyncdPatch.encode(patch).finish()
  await b.reader.read(['regular_low'])
  assert.deepEqual(b.actions(), [[`pin_v1 ${ANA_LID}`, true]])
})

test('a collection that the network refuses, or says nothing of, ends the reading of the others with nothing lost', async () => {
  const b = bench()
  const pins = phone('regular_low')
  b.has(pins)
  pins.write(pinChange(ANA, true, NOW))
  b.answer = (attrs) =>
    attrs.name === 'regular'
      ? collection({ name: 'regular', type: 'error' }, { tag: 'error', attrs: { code: '500' } })
      : b.patchesBehind(attrs)
  await b.reader.read(['regular', 'regular_low'])
  assert.deepEqual([b.readings.length, await b.reader.version('regular')], [1, undefined])
})
