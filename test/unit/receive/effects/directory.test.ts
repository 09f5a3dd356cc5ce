import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WAMessage } from '@whiskeysockets/baileys'
import { createAccountDirectory } from '../../../../workers/shard/directory/account-directory.ts'
import { historyDirectory, recordInDirectory } from '../../../../workers/shard/receive/effects/directory.ts'
import type { HistoryAbout } from '../../../../workers/shard/receive/effects/history.ts'
import { INSTANCE, recordingLog, sealer, tempStore } from '../../storage/fixtures.ts'

const ANA = '5511988880001@s.whatsapp.net'
const ABOUT = { syncType: 0, chunkOrder: undefined, progress: 100 } as HistoryAbout
const messageOf = (key: Partial<WAMessage['key']>): WAMessage => ({
  key: { remoteJid: ANA, ...key },
  message: { conversation: 'hello' },
  messageTimestamp: 1_000,
})

test('a message of a person and one of the owner on the phone are told after they were recorded, and one of this service is not', async (t) => {
  const directory = createAccountDirectory(
    { id: INSTANCE, store: await tempStore(t), sealer, log: recordingLog() },
    { own: () => [] },
  )
  const heard: [string, number | undefined][] = []
  const record = recordInDirectory({
    directory,
    identity: () => null,
    unarchives: () => false,
    clock: { now: () => 1_800_000_000_000 },
    heard: (chat) => void heard.push([chat, directory.chat([ANA])?.activeAt]),
  })
  await record(messageOf({ id: 'A1', fromMe: true }), true)
  assert.deepEqual(heard, [])
  await record(messageOf({ id: 'A2', fromMe: true }))
  await record(messageOf({ id: 'A3', fromMe: false }))
  assert.deepEqual(heard, [
    [ANA, 1_000],
    [ANA, 1_000],
  ])
})

test('the end of a history is told when its people are known', async (t) => {
  const directory = createAccountDirectory(
    { id: INSTANCE, store: await tempStore(t), sealer, log: recordingLog() },
    { own: () => [] },
  )
  let known: string | undefined
  const reader = historyDirectory(directory, () => {
    known = directory.chat([ANA])?.id
  })
  await reader.take([{ kind: 'chat', chat: { id: ANA, conversationTimestamp: 900, newest: undefined } }], ABOUT)
  assert.equal(known, undefined)
  await reader.end!(ABOUT)
  assert.equal(known, ANA)
})
