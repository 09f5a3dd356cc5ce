import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import type { Batch, StateStore } from '../../../src/storage/contract.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { createAccountDirectory } from '../../../workers/shard/directory/account-directory.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../storage/fixtures.ts'

const ME = '5511999990001@s.whatsapp.net'
const pnOf = (number: number) => `${551_188_000_0000 + number}@s.whatsapp.net`
const lidOf = (number: number) => `${81_896_600_000_000 + number}@lid`
const GROUP = '120363019502650977@g.us'
const OPTIONS = { unarchives: false, fromApi: false, now: 1_800_000_000_000 }

async function bench(t: TestContext) {
  const store = await tempStore(t)
  const log = recordingLog()
  let isFull = false
  const own: StateStore = {
    ...store,
    async commit(batch: Batch) {
      if (isFull) throw new Error('no space left on device')
      return store.commit(batch)
    },
  }
  const open = async () => {
    const directory = createAccountDirectory({ id: INSTANCE, store: own, sealer, log }, { own: () => [ME] })
    await directory.ready()
    return directory
  }
  return { store, log, open, directory: await open(), fill: (full: boolean) => (isFull = full) }
}

let ids = 0
const text = (chat: string, at: number, more: Partial<WAMessage['key']> = {}, rest: Partial<WAMessage> = {}): WAMessage =>
  ({
    key: { remoteJid: chat, id: `3EB0${++ids}`, fromMe: false, ...more },
    message: { conversation: 'hello' },
    messageTimestamp: at,
    ...rest,
  }) as WAMessage

const names = (page: { entries: { id?: string; name?: string | null; pn?: string | null }[] }) =>
  page.entries.map(({ id, name, pn }) => id ?? name ?? pn)

test('chats come newest first, and a restart reads back what was told', async (t) => {
  const { directory, open } = await bench(t)
  directory.record(text(pnOf(1), 100, { remoteJidAlt: lidOf(1) }, { pushName: 'Ana' }), OPTIONS)
  directory.record(text(GROUP, 200, { participant: lidOf(2), participantAlt: pnOf(2) }, { pushName: 'Ben' }), OPTIONS)
  directory.record(text(pnOf(3), 50, { fromMe: true }), OPTIONS)
  directory.record(text('1@newsletter', 900), OPTIONS)
  directory.record(text('status@broadcast', 900, { participant: pnOf(9) }), OPTIONS)
  await directory.flush()
  for (const each of [directory, await open()]) {
    assert.deepEqual(names(each.chats(1, 10)), [GROUP, pnOf(1), pnOf(3)])
    assert.deepEqual(names(each.chats(2, 2)), [pnOf(3)])
    assert.equal(each.chats(9, 2).total, 3)
    assert.equal(each.chat([lidOf(1)])?.unread, 1)
    assert.equal(each.chat([pnOf(3)])?.unread, 0)
    assert.equal(each.contact([pnOf(2)])?.pushName, 'Ben')
    assert.equal(each.contact([pnOf(9)]), undefined)
  }
})

test('what waits to be read is counted once per message, and goes when it is read here, on the phone, or answered there', async (t) => {
  const { directory } = await bench(t)
  const first = text(pnOf(1), 100)
  directory.record(first, OPTIONS)
  directory.record(first, OPTIONS)
  const second = text(pnOf(1), 101)
  directory.record(second, OPTIONS)
  directory.record({ ...text(pnOf(1), 102), message: { reactionMessage: { text: '👍' } } }, OPTIONS)
  const chat = () => directory.chat([pnOf(1)])!
  assert.deepEqual([chat().unread, chat().activeAt], [2, 101])
  directory.read([first.key])
  assert.equal(chat().unread, 1)
  directory.read([second.key])
  assert.equal(chat().unread, 0)
  directory.record(text(pnOf(1), 110), OPTIONS)
  directory.record(text(pnOf(1), 111, { fromMe: true }), { ...OPTIONS, fromApi: true })
  assert.equal(chat().unread, 1)
  directory.record(text(pnOf(1), 112, { fromMe: true }), OPTIONS)
  assert.equal(chat().unread, 0)
})

const about = (kind: string, value: proto.ISyncActionValue, ...index: string[]) => ({ index: [kind, ...index], value })

// An earlier bug: three messages that came again after a failed commit counted as five, because only the last message
// of a chat was recognised as a repetition.
test('messages of a chat that come again together, as none of them could be written, are counted once', async (t) => {
  const { directory } = await bench(t)
  const messages = [text(pnOf(1), 100), text(pnOf(1), 101), text(pnOf(1), 102)]
  for (const message of [...messages, ...messages]) directory.record(message, OPTIONS)
  assert.equal(directory.chat([pnOf(1)])!.unread, 3)
  directory.record(text(pnOf(1), 103), OPTIONS)
  assert.equal(directory.chat([pnOf(1)])!.unread, 4)
})

test('what the phone does to a chat is so here, and the same when it is read again', async (t) => {
  const { directory, open } = await bench(t)
  directory.record(text(pnOf(1), 100), OPTIONS)
  const actions = [
    about('pin_v1', { pinAction: { pinned: true } }, pnOf(1)),
    about('mute', { muteAction: { muted: true, muteEndTimestamp: -1 } }, pnOf(1)),
    about('label_jid', { labelAssociationAction: { labeled: true } }, '3', pnOf(1)),
    about('markChatAsRead', { markChatAsReadAction: { read: false } }, pnOf(1)),
  ]
  for (const round of [1, 2]) {
    await directory.apply(actions)
    const chat = (await open()).chat([pnOf(1)])!
    assert.deepEqual(
      [chat.isPinned, chat.mutedUntil, chat.labels, chat.isMarkedUnread, chat.unread],
      [true, -1, ['3'], true, 1],
      `round ${round}`,
    )
  }
  await directory.apply([
    about('archive', { archiveChatAction: { archived: true, messageRange: { lastMessageTimestamp: 100 } } }, pnOf(1)),
    about('mute', { muteAction: { muted: false } }, pnOf(1)),
    about('label_jid', { labelAssociationAction: { labeled: false } }, '3', pnOf(1)),
    about('markChatAsRead', { markChatAsReadAction: { read: true, messageRange: { lastMessageTimestamp: 100 } } }, pnOf(1)),
  ])
  const chat = directory.chat([pnOf(1)])!
  assert.deepEqual(
    [chat.isArchived, chat.isPinned, chat.mutedUntil, chat.labels, chat.isMarkedUnread, chat.unread],
    [true, false, 0, [], false, 0],
  )
  directory.record(text(pnOf(1), 200), { ...OPTIONS, unarchives: true })
  assert.equal(chat.isArchived, false)
})

test('a change that reaches to an older message leaves what came after it', async (t) => {
  const { directory } = await bench(t)
  directory.record(text(pnOf(1), 100), OPTIONS)
  directory.record(text(pnOf(1), 200), OPTIONS)
  const until = { messageRange: { lastMessageTimestamp: 100 } }
  await directory.apply([about('deleteChat', { deleteChatAction: until }, pnOf(1), '1')])
  assert.equal(directory.chats(1, 10).total, 1)
  await directory.apply([about('markChatAsRead', { markChatAsReadAction: { read: true, ...until } }, pnOf(1))])
  assert.equal(directory.chat([pnOf(1)])!.unread, 1)
  await directory.apply([
    about('deleteChat', { deleteChatAction: { messageRange: { lastMessageTimestamp: 200 } } }, pnOf(1), '1'),
  ])
  assert.equal(directory.chats(1, 10).total, 0)
  directory.record(text(pnOf(1), 300), OPTIONS)
  assert.equal(directory.chats(1, 10).total, 1)
})

test('people come by name, then by number, those without a name last; who is saved no more keeps the name of its own', async (t) => {
  const { directory, open } = await bench(t)
  const save = (number: number, fullName: string, firstName = fullName) =>
    about('contact', { contactAction: { fullName, firstName, lidJid: lidOf(number) } }, pnOf(number))
  directory.learn(
    Object.entries({ [pnOf(7)]: 'Zed', [pnOf(6)]: 'Yan', [ME]: 'me' }).map(([jid, name]) => ({ kind: 'pushName', jid, name })),
  )
  await directory.apply([
    save(1, 'Émile'),
    save(2, 'ana'),
    save(3, 'Ana'),
    about('lid_contact', { lidContactAction: { fullName: 'Bob Stone', firstName: 'Bob' } }, lidOf(4)),
  ])
  const listed = (each: typeof directory) => each.contacts(1, 10).entries.map(({ pn, lid }) => pn ?? lid)
  const order = [pnOf(2), pnOf(3), lidOf(4), pnOf(1), pnOf(6), pnOf(7)]
  assert.deepEqual(listed(directory), order)
  assert.deepEqual(listed(await open()), order)
  const bob = directory.contact([lidOf(4)])!
  assert.deepEqual([bob.name, bob.firstName, bob.pushName], ['Bob Stone', 'Bob', null])
  await directory.apply([{ index: ['contact', pnOf(1)], value: null }, about('contact', { contactAction: {} }, pnOf(99))])
  assert.equal(directory.contact([lidOf(1)])?.name, null)
  assert.equal(directory.contact([pnOf(99)]), undefined)
})

test('number and LID of one person are one chat and one contact, however they were met', async (t) => {
  const { directory, open } = await bench(t)
  directory.record(text(pnOf(1), 100, {}, { pushName: 'Ana' }), OPTIONS)
  directory.record(text(lidOf(1), 200), OPTIONS)
  assert.equal(directory.chats(1, 10).total, 2)
  directory.join([{ pn: pnOf(1), lid: lidOf(1) }])
  directory.join([{ pn: pnOf(1), lid: lidOf(1) }])
  await directory.flush()
  for (const each of [directory, await open()]) {
    const { entries, total } = each.chats(1, 10)
    assert.deepEqual([total, entries[0]?.id, entries[0]?.other, entries[0]?.unread], [1, lidOf(1), pnOf(1), 2])
    assert.equal(each.contacts(1, 10).total, 1)
    assert.equal(each.contact([lidOf(1)])?.pushName, 'Ana')
  }
})

test('labels are kept whole; lists of the app and deleted ones are none, and no id is given twice', async (t) => {
  const { directory, open } = await bench(t)
  const edit = (id: string, labelEditAction: proto.SyncActionValue.ILabelEditAction) =>
    about('label_edit', { labelEditAction }, id)
  await directory.apply([
    edit('1', { name: 'Paid', color: 3, orderIndex: 4, isActive: true }),
    edit('2', { name: 'Unread', type: 1 }),
    edit('9', { name: 'Gone', deleted: true }),
    edit('not an id', { name: 'x' }),
  ])
  for (const each of [directory, await open()]) {
    assert.deepEqual(
      each.labels().map(({ id }) => id),
      ['1'],
    )
    assert.equal(each.nextLabelId(), '10')
    assert.equal(each.label('1')?.action.orderIndex, 4)
  }
})

test('what could not be written is written with what comes next', async (t) => {
  const { directory, open, fill, log } = await bench(t)
  fill(true)
  directory.record(text(pnOf(1), 100), OPTIONS)
  await assert.rejects(directory.apply([about('pin_v1', { pinAction: { pinned: true } }, pnOf(1))]), /no space left/)
  directory.read([text(pnOf(1), 100).key])
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(log.lines.length, 1)
  fill(false)
  directory.record(text(pnOf(2), 200), OPTIONS)
  await directory.flush()
  assert.deepEqual(names((await open()).chats(1, 10)), [pnOf(2), pnOf(1)])
})

test('what a message changes goes with the commit of the message, before what is older, and again when that failed', async (t) => {
  const { directory, store, open } = await bench(t)
  directory.learn(
    Array.from(
      { length: 900 },
      (_, number) => ({ kind: 'pushName', jid: pnOf(100 + number), name: `somebody ${number}` }) as const,
    ),
  )
  directory.record(text(pnOf(1), 100, {}, { pushName: 'Ana' }), OPTIONS)
  const failed = directory.rides.take()
  assert.ok(failed.length <= 33, String(failed.length))
  assert.equal((await open()).chats(1, 10).total, 0)
  directory.rides.settled(failed, false)
  const ops = directory.rides.take()
  await store.commit({ ops: [...ops] })
  directory.rides.settled(ops, true)
  const other = await open()
  assert.deepEqual(names(other.chats(1, 10)), [pnOf(1)])
  assert.equal(other.contact([pnOf(1)])?.pushName, 'Ana')
  await directory.flush()
  assert.deepEqual(directory.rides.take(), [])
  assert.equal((await open()).contacts(1, 10).total, 901)
})

// Changes of the directory may be written in the commit of a message. In an earlier bug, `flush` resolved before this
// commit, although the commit could still fail.
test('a flush waits for the changes that ride in a commit of others, and writes them where that fails', async (t) => {
  const { directory, open } = await bench(t)
  directory.record(text(pnOf(1), 100, {}, { pushName: 'Ana' }), OPTIONS)
  const riding = directory.rides.take()
  let isFlushed = false
  const flushed = directory.flush().then(() => {
    isFlushed = true
  })
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isFlushed, false)
  directory.rides.settled(riding, false)
  await flushed
  assert.deepEqual(names((await open()).chats(1, 10)), [pnOf(1)])
})

test('nothing on the disk names anybody, and another account finds nothing', async (t) => {
  const { directory, store, open } = await bench(t)
  directory.record(text(pnOf(1), 100, {}, { pushName: 'Ana' }), OPTIONS)
  await directory.flush()
  let records = 0
  for await (const [key, value] of store.range(keys.directory(INSTANCE))) {
    records += 1
    assert.doesNotMatch(`${key} ${Buffer.from(value).toString('latin1')}`, /5511880000001|Ana/)
  }
  assert.equal(records, 2)
  await directory.forget()
  for (const each of [directory, await open()]) assert.equal(each.chats(1, 10).total + each.contacts(1, 10).total, 0)
})

test('a vote, an answer to an event or a reaction of somebody else ends the count of unanswered messages, and is no activity', async (t) => {
  const { directory } = await bench(t)
  const chat = () => directory.chat([pnOf(1)])!
  const contents: readonly proto.IMessage[] = [
    { pollUpdateMessage: {} },
    { encEventResponseMessage: {} },
    { reactionMessage: { text: '👍' } },
    { encReactionMessage: {} },
  ]
  for (const [index, message] of contents.entries()) {
    directory.record(text(pnOf(1), 100 + 2 * index, { fromMe: true }), OPTIONS)
    const own = { ...text(pnOf(1), 100 + 2 * index, { fromMe: true }), message }
    directory.record(own, OPTIONS)
    assert.equal(chat().unanswered, 1, 'an own reaction is not counted')
    directory.record({ ...text(pnOf(1), 101 + 2 * index), message: { protocolMessage: {} } }, OPTIONS)
    assert.equal(chat().unanswered, 1, 'a deletion is no answer')
    const answer = { ...text(pnOf(1), 101 + 2 * index), message }
    directory.record(answer, OPTIONS)
    assert.deepEqual(
      [chat().unanswered, chat().heardAt, chat().activeAt, chat().unread],
      [0, 101 + 2 * index, 100 + 2 * index, 0],
    )
  }
  directory.record({ ...text(pnOf(2), 100), message: { reactionMessage: { text: '👍' } } }, OPTIONS)
  assert.deepEqual([directory.chat([pnOf(2)])?.heardAt, directory.chats(1, 10).total], [100, 1])
})

test('a message of somebody else that could not be decrypted is an answer by its envelope', async (t) => {
  const { directory } = await bench(t)
  directory.record(text(pnOf(1), 100, { fromMe: true }), OPTIONS)
  const { message, ...unreadable } = text(lidOf(1), 101, { remoteJidAlt: pnOf(1) })
  directory.record(unreadable, OPTIONS)
  const { message: _, ...own } = text(pnOf(1), 102, { fromMe: true })
  directory.record(own, OPTIONS)
  const known = () => {
    const { heardAt, unanswered, activeAt, unread } = directory.chat([lidOf(1)])!
    return [heardAt, unanswered, activeAt, unread]
  }
  assert.deepEqual(known(), [101, 0, 100, 0])
  directory.record({ ...unreadable, message: message! }, OPTIONS)
  assert.deepEqual(known(), [101, 0, 101, 1], 'it is counted when it is read at last')
})

test('a large history is bounded: the chats and people used longest ago go first', async (t) => {
  const { directory, open } = await bench(t)
  for (let from = 0; from < 20_000; from += 200)
    directory.learn(
      Array.from({ length: 200 }, (_, index) => ({
        kind: 'chat',
        chat: { id: pnOf(from + index), conversationTimestamp: 1_000_000 + from + index, newest: undefined },
      })),
    )
  await directory.flush()
  for (const each of [directory, await open()]) {
    const { entries, total } = each.chats(1, 1)
    assert.ok(total > 4_800 && total <= 5_000, String(total))
    assert.equal(entries[0]?.id, pnOf(19_999))
    assert.ok(each.chat([pnOf(15_300)]))
    assert.equal(each.chat([pnOf(3)]), undefined)
    assert.ok(each.contacts(1, 1).total <= 20_000)
  }
  // The loop fills the directory. The chat of `contacted` must then evict another chat, and not itself.
  while (directory.chats(1, 1).total < 5_000) directory.record(text(pnOf(20_000 + ids), 2_000_000), OPTIONS)
  directory.contacted([pnOf(30_000)], 3_000_000_000)
  await directory.flush()
  for (const each of [directory, await open()]) {
    assert.ok(each.chat([pnOf(30_000)]), 'the chat of the contact is kept')
    assert.deepEqual(each.contactsSince(0), [3_000_000_000])
  }
})
