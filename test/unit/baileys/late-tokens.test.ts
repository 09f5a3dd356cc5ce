/** Tokens of a contact that arrive after the transaction of a send has ended, with the library's own transactions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransactionCapability, type SignalDataSet, type SignalDataTypeMap } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { keepLateTokens } from '../../../workers/shard/baileys/late-tokens.ts'

const CONTACT = '1@lid'
const turn = () => new Promise((resolve) => setImmediate(resolve))
const token = (senderTimestamp: number) => ({ token: Buffer.alloc(0), senderTimestamp })

function bench() {
  const written: SignalDataSet[] = []
  const stored = new Map<string, unknown>()
  const state = {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
      Object.fromEntries(
        ids.filter((id) => stored.has(`${type} ${id}`)).map((id) => [id, stored.get(`${type} ${id}`) as SignalDataTypeMap[T]]),
      ),
    async set(data: SignalDataSet) {
      written.push(data)
      for (const [type, rows] of Object.entries(data))
        for (const [id, value] of Object.entries(rows ?? {})) stored.set(`${type} ${id}`, value)
    },
  }
  const keys = addTransactionCapability(state, pino({ level: 'silent' }), { maxCommitRetries: 1, delayBetweenTriesMs: 1 })
  keepLateTokens({ authState: { keys } } as unknown as Parameters<typeof keepLateTokens>[0])
  return { keys, written }
}

test('a token that is noted when its transaction is over is stored', async () => {
  const { keys } = bench()
  let late = Promise.resolve()
  await keys.transaction(async () => {
    late = turn().then(() => keys.set({ tctoken: { [CONTACT]: token(7) } }))
  }, 'me')
  await late
  assert.deepEqual(await keys.get('tctoken', [CONTACT]), { [CONTACT]: token(7) })
})

test('what comes late reads the tokens of now, not those of its transaction', async () => {
  const { keys } = bench()
  let late: Promise<unknown> = Promise.resolve()
  await keys.transaction(async () => {
    await keys.get('tctoken', [CONTACT])
    late = turn().then(() => keys.get('tctoken', [CONTACT]))
  }, 'me')
  await keys.set({ tctoken: { [CONTACT]: token(8) } })
  assert.deepEqual(await late, { [CONTACT]: token(8) })
})

test('everything else of a transaction is written once, at its end', async () => {
  const { keys, written } = bench()
  await keys.transaction(async () => {
    await keys.set({ 'lid-mapping': { one: '1' }, tctoken: { [CONTACT]: token(9) } })
    assert.deepEqual(written, [{ tctoken: { [CONTACT]: token(9) } }])
    await keys.set({ 'lid-mapping': { other: '2' } })
    assert.deepEqual(await keys.get('lid-mapping', ['one']), { one: '1' })
  }, 'me')
  assert.deepEqual(written.slice(1), [{ 'lid-mapping': { one: '1', other: '2' } }])
})

test('the token of a contact that comes while ours is noted is kept, and so is the note', async () => {
  const { keys } = bench()
  const now = String(Math.floor(Date.now() / 1_000))
  const theirs = { token: Buffer.from('theirs'), timestamp: now }
  await keys.set({ tctoken: { [CONTACT]: theirs } })
  await keys.set({ tctoken: { [CONTACT]: token(10) } })
  assert.deepEqual(await keys.get('tctoken', [CONTACT]), { [CONTACT]: { ...theirs, senderTimestamp: 10 } })
  await keys.set({ tctoken: { [CONTACT]: { ...theirs, token: Buffer.from('newer') } } })
  const newer = { token: Buffer.from('newer'), timestamp: now, senderTimestamp: 10 }
  assert.deepEqual(await keys.get('tctoken', [CONTACT]), { [CONTACT]: newer })
})

test('a token that has expired is taken away by who says so', async () => {
  const { keys } = bench()
  await keys.set({ tctoken: { [CONTACT]: { token: Buffer.from('old'), timestamp: '1000', senderTimestamp: 11 } } })
  await keys.set({ tctoken: { [CONTACT]: token(11) } })
  assert.deepEqual(await keys.get('tctoken', [CONTACT]), { [CONTACT]: token(11) })
  await keys.set({ tctoken: { [CONTACT]: null } })
  assert.equal((await keys.get('tctoken', [CONTACT]))[CONTACT] ?? null, null)
})
