/**
 * Tests that a history that is read in pieces has the same content as one that is read in one call. The memory for this
 * must not grow with the history.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { DamagedHistory, type HistoryPiece, historyParser } from '../../../workers/shard/wire/history.ts'

const { INITIAL_BOOTSTRAP } = proto.HistorySync.HistorySyncType
const encoded = (history: proto.IHistorySync) =>
  proto.HistorySync.encode(proto.HistorySync.fromObject({ syncType: INITIAL_BOOTSTRAP, ...history })).finish()

function read(bytes: Uint8Array, size: number) {
  const parser = historyParser()
  const pieces: HistoryPiece[] = []
  let held = 0
  for (let at = 0; at < bytes.length; at += size) {
    for (const piece of parser.push(bytes.subarray(at, at + size))) pieces.push(piece)
    held = Math.max(held, parser.held)
  }
  parser.end()
  return { pieces, held }
}

const message = (id: string, more: proto.IWebMessageInfo | object = {}, text = 'hi') => ({
  message: { key: { id, fromMe: true }, message: { conversation: text }, messageTimestamp: 1_790_000_000, ...more },
})

const EVERYTHING = encoded({
  conversations: [
    {
      id: '5511988880001@s.whatsapp.net',
      name: 'Ana',
      messages: [message('A2'), message('A1')],
      lidJid: '111@lid',
      unreadCount: 3,
      conversationTimestamp: 1_790_000_000,
      tcToken: Buffer.from('token'),
      tcTokenTimestamp: 1_789_000_000,
      archived: true,
    },
    { id: '222@lid', messages: [message('B2'), message('B1', { userReceipt: [{ userJid: '5511988880002@s.whatsapp.net' }] })] },
    { id: '120363000000000001@g.us', name: 'Team', messages: [message('C', { key: { id: 'C', participant: '333@lid' } })] },
    { id: '444@lid', pnJid: '5511988880004@s.whatsapp.net' },
  ],
  statusV3Messages: [message('S').message],
  pushnames: [{ id: '5511988880001@s.whatsapp.net', pushname: 'ana' }, { id: '5511988880009@s.whatsapp.net' }],
  globalSettings: { disappearingModeDuration: 86_400 },
  pastParticipants: [{ groupJid: '120363000000000001@g.us', pastParticipants: [{ userJid: '555@lid' }] }],
  phoneNumberToLidMappings: [
    { pnJid: '5511988880005@s.whatsapp.net', lidJid: '555@lid' },
    { pnJid: '666@lid', lidJid: '5511988880006@s.whatsapp.net' },
  ],
  threadIdUserSecret: Buffer.alloc(40),
})

test('the salt of tokens for new chats is read, which the definition of the library lacks', () => {
  const salt = Buffer.from('0123456789abcdef')
  // This is field 19, whose tag takes two bytes.
  const field = Buffer.concat([Buffer.from([0x9a, 1, salt.length]), salt])
  for (const bytes of [Buffer.concat([EVERYTHING, field]), Buffer.concat([field, EVERYTHING])])
    for (let size = 1; size < 40; size++) {
      const salts = read(bytes, size).pieces.flatMap((piece) => (piece.kind === 'chatTokenSalt' ? [Buffer.from(piece.salt)] : []))
      assert.deepEqual(salts, [salt])
    }
  const empty = read(Buffer.concat([EVERYTHING, Buffer.from([0x9a, 1, 0])]), 7).pieces
  assert.ok(empty.every(({ kind }) => kind !== 'chatTokenSalt'))
})

test('what it says, however its bytes are cut', () => {
  const whole = read(EVERYTHING, EVERYTHING.length).pieces
  for (let size = 1; size < 80; size++) assert.deepEqual(read(EVERYTHING, size).pieces, whole, `${size} bytes at a time`)
  const chats = whole.flatMap((piece) => (piece.kind === 'chat' ? [piece.chat] : []))
  assert.deepEqual(
    chats.map(({ id, name, newest }) => [id, name ?? null, newest?.id ?? null]),
    [
      ['5511988880001@s.whatsapp.net', 'Ana', 'A2'],
      ['222@lid', null, 'B2'],
      ['120363000000000001@g.us', 'Team', 'C'],
      ['444@lid', null, null],
    ],
  )
  assert.deepEqual(chats[2]!.newest, { id: 'C', fromMe: false, participant: '333@lid', timestamp: 1_790_000_000 })
  const { unreadCount, archived, tcToken, tcTokenTimestamp, conversationTimestamp } = chats[0]!
  assert.deepEqual(
    [unreadCount, archived, Buffer.from(tcToken!).toString(), Number(tcTokenTimestamp), Number(conversationTimestamp)],
    [3, true, 'token', 1_789_000_000, 1_790_000_000],
  )
  assert.ok(chats.every((chat) => !('messages' in chat)))
})

test('number and LID of a person: of a chat, of the list, and from the receipt of a message of ours', () => {
  const pairs = read(EVERYTHING, 100).pieces.filter(({ kind }) => kind === 'pair')
  assert.deepEqual(pairs, [
    { kind: 'pair', pn: '5511988880001@s.whatsapp.net', lid: '111@lid' },
    { kind: 'pair', pn: '5511988880002@s.whatsapp.net', lid: '222@lid' },
    { kind: 'pair', pn: '5511988880004@s.whatsapp.net', lid: '444@lid' },
    { kind: 'pair', pn: '5511988880005@s.whatsapp.net', lid: '555@lid' },
  ])
})

test('names, settings and who has left a group', () => {
  const others = read(EVERYTHING, 33).pieces.filter(({ kind }) => kind !== 'chat' && kind !== 'pair')
  assert.deepEqual(
    others.map((piece) => JSON.parse(JSON.stringify(piece))),
    [
      { kind: 'pushName', jid: '5511988880001@s.whatsapp.net', name: 'ana' },
      { kind: 'settings', settings: { disappearingModeDuration: 86_400 } },
      { kind: 'pastParticipants', group: '120363000000000001@g.us', participants: [{ userJid: '555@lid' }] },
    ],
  )
})

test('a chat of a hundred thousand messages is held by what it says itself', () => {
  const messages = Array.from({ length: 100_000 }, (_, index) =>
    message(`M${index}`, { key: { id: `M${index}` } }, 'x'.repeat(200)),
  )
  const bytes = encoded({ conversations: [{ id: '5511988880001@s.whatsapp.net', name: 'Ana', messages, unreadCount: 7 }] })
  const { pieces, held } = read(bytes, 65_536)
  const [only] = pieces
  assert.ok(only?.kind === 'chat' && pieces.length === 1)
  assert.deepEqual([only.chat.newest?.id, only.chat.unreadCount], ['M0', 7])
  assert.ok(bytes.length > 20 * 2 ** 20, `${bytes.length} bytes`)
  assert.ok(held < 66_000, `${held} bytes held`)
})

test('a field that is longer than anything here is passed over, and what follows it is read', () => {
  const wallpaper = { filename: 'x'.repeat(3 * 2 ** 20) }
  const bytes = encoded({
    conversations: [
      { id: '5511988880001@s.whatsapp.net', wallpaper, lidJid: '111@lid' },
      { id: '222@lid', messages: [message('A', {}, 'x'.repeat(3 * 2 ** 20))], unreadCount: 1 },
    ],
    globalSettings: { lightThemeWallpaper: wallpaper },
    pushnames: [{ id: '222@lid', pushname: 'Ben' }],
  })
  const { pieces, held } = read(bytes, 65_536)
  assert.deepEqual(
    pieces.map(({ kind }) => kind),
    ['chat', 'pair', 'chat', 'pushName'],
  )
  assert.ok(held < 66_000, `${held} bytes held`)
})

test('one that is cut off or is none is refused', () => {
  assert.deepEqual(read(new Uint8Array(0), 10).pieces, [])
  for (const length of [1, 5, 30, EVERYTHING.length - 1])
    assert.throws(() => read(EVERYTHING.subarray(0, length), 16), DamagedHistory, `${length} bytes`)
  for (const hex of ['0b', '00', 'ffffffffffffffffffffff', '1203aabbcc', '3a02ff01', '12020a05'])
    assert.throws(() => read(Buffer.from(hex, 'hex'), 1), DamagedHistory, hex)
})
