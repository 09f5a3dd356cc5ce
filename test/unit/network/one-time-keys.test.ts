import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  type BinaryNode,
  getBinaryNodeChildren,
  initAuthCreds,
  type SignalKeyStoreWithTransaction,
} from '@whiskeysockets/baileys'
import { login } from '../../../workers/shard/network/login/login.ts'
import { createOneTimeKeys } from '../../../workers/shard/network/login/one-time-keys.ts'
import { QueryRefused } from '../../../workers/shard/network/queries.ts'
import { find, node } from '../../harness/nodes.ts'

const log = { info() {} }
const answer = (...content: BinaryNode[]) => node('iq', { type: 'result' }, content)
const refusal = (code: number) => new QueryRefused(node('iq', { type: 'error' }, [node('error', { code: String(code) })]))

/** Creates one-time keys over a simulated network. `answers` are the outcomes of the uploads, in order. */
function bench(answers: (BinaryNode | Error)[] = []) {
  const creds = initAuthCreds()
  const stored = new Map<string, unknown>()
  const uploads: string[][] = []
  const b = { creds, stored, uploads, saved: async () => {} }
  const keys = {
    get: async (_: string, ids: string[]) =>
      Object.fromEntries(ids.filter((id) => stored.has(id)).map((id) => [id, stored.get(id)])),
    async set({ 'pre-key': fresh = {} }) {
      for (const [id, pair] of Object.entries(fresh)) stored.set(id, pair)
    },
    isInTransaction: () => false,
    transaction: (work: () => Promise<unknown>) => work(),
  } as unknown as SignalKeyStoreWithTransaction
  const oneTimeKeys = createOneTimeKeys({
    creds,
    keys,
    async query(upload) {
      uploads.push(idsIn(upload))
      const next = answers.shift() ?? answer()
      if (next instanceof Error) throw next
      return next
    },
    changed: (update) => void Object.assign(creds, update),
    saved: () => b.saved(),
    log,
  })
  return Object.assign(b, { oneTimeKeys })
}

const idsIn = (upload: BinaryNode) =>
  getBinaryNodeChildren(find(upload, 'list'), 'key').map((key) =>
    Buffer.from(find(key, 'id')!.content as Uint8Array).toString('hex'),
  )

test('keys are uploaded only when the credentials that count them are on disk', async () => {
  const b = bench()
  let save = () => {}
  b.saved = () =>
    new Promise((resolve) => {
      save = resolve
    })
  const uploading = b.oneTimeKeys.upload()
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  assert.equal(b.stored.size, 5)
  assert.deepEqual(b.uploads, [])
  save()
  await uploading
  assert.equal(b.uploads.length, 1)
})

test('keys are not uploaded if the credentials cannot be stored', async () => {
  const b = bench()
  b.saved = () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(b.oneTimeKeys.upload(), /the disk is full/)
  assert.deepEqual(b.uploads, [])
})

test('a refused upload is repeated with the same keys', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const b = bench([refusal(503)])
  const uploading = b.oneTimeKeys.upload()
  while (b.uploads.length < 1) await setImmediate()
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.mock.timers.tick(1_000)
  await uploading
  assert.equal(b.uploads.length, 2)
  assert.equal(b.uploads[0]!.length, 5)
  assert.deepEqual(b.uploads[1], b.uploads[0])
  assert.equal(b.stored.size, 5)
})

test('an upload whose outcome is unknown is not repeated', async () => {
  const b = bench([new Error('Connection Closed')])
  await assert.rejects(b.oneTimeKeys.upload(), /Connection Closed/)
  assert.equal(b.uploads.length, 1)
})

test('after a login keys are uploaded if the network has lost those of this device', async () => {
  const digests: [answer: BinaryNode | Error, uploads: number][] = [
    [answer(node('digest')), 0],
    [answer(), 1],
    [refusal(404), 1],
    [refusal(406), 1],
    [refusal(503), 0],
  ]
  for (const [digest, expected] of digests) {
    let uploads = 0
    await login({
      async query(query) {
        if (!find(query, 'digest')) return answer()
        if (digest instanceof Error) throw digest
        return digest
      },
      oneTimeKeys: {
        async upload() {
          uploads++
        },
        async check() {},
      },
      log,
    })
    assert.equal(uploads, expected)
  }
})
