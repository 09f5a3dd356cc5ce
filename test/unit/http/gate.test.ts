import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashOf, newApiKey } from '../../../src/account/credentials.ts'
import { keyRecords, workspaceRecords } from '../../../src/account/records.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { WorkspaceId } from '../../../src/domain/ids.ts'
import { createAccessChecks } from '../../../src/http/access-checks.ts'
import { createBuckets, createThrottle } from '../../../src/http/rate-limit.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { accountBeside, openService } from '../../contract/http/service.ts'

const service = await openService()
after(() => service.close())

const OTHER = '0d3f7a52-5b1c-4a6e-8b55-6d1f2c3e4a5b' as WorkspaceId

async function secondWorkspace(): Promise<{ value: string; imported: string }> {
  const value = newApiKey()
  const imported = 'F7a1b2c3d4e5f60718293a4b5c6d7e8f9'
  const now = service.time.now
  const first = service.account.workspace(service.workspace)
  const record = { ...first, id: OTHER, name: 'other', createdAt: now + 1, hasOwnSlots: false, adminKeyHash: hashOf('another') }
  const key = {
    id: 'b7a1c7f0-3a1e-4f50-9e0f-2a6d1a5b7c11',
    workspace: OTHER,
    name: 'theirs',
    scopes: ['instances:operate' as const],
    hint: '',
    kind: 'api_key' as const,
    hash: hashOf(value),
    createdAt: now,
    lastUsedAt: null,
    lastUsedIp: null,
  }
  const token = {
    ...key,
    id: 'c7a1c7f0-3a1e-4f50-9e0f-2a6d1a5b7c11',
    workspace: service.workspace,
    kind: 'client_token' as const,
    hash: hashOf(imported),
  }
  const ops = [
    workspaceRecords(service.sealer).encode(keys.workspace(OTHER), record),
    keyRecords(service.sealer).encode(keys.apiKey(OTHER, key.id), key),
    keyRecords(service.sealer).encode(keys.apiKey(service.workspace, token.id), token),
  ]
  await service.store.commit({ ops })
  return { value, imported }
}

test('a key of another workspace opens no instance, and an imported token only in its own header', async () => {
  const { id, token } = await service.newInstance()
  await service.changeWorkspace(({ security }) => ({ security: { ...security, requireApiKey: true } }))
  const own = await service.newKey(['instances:operate'])
  const { value: theirs, imported } = await secondWorkspace()
  const { clock, directory } = service
  const account = await accountBeside(service, 1)
  const gate = createAccessChecks({
    account,
    directory,
    clock,
    buckets: createBuckets(clock),
    descriptions: createBuckets(clock),
    tickets: createBuckets(clock),
    oauth: null,
    apps: createBuckets(clock),
    links: createBuckets(clock),
    linkStarts: createBuckets(clock),
    throttle: createThrottle(clock),
    shortSecrets: createThrottle(clock),
    adminAllowedIps: [],
    trustedProxies: [],
    isMetricsToken: undefined,
  })
  const incoming = (value: string) => ({
    headers: new Headers({ Authorization: `Bearer ${value}` }),
    source: '192.0.2.1',
    peer: '192.0.2.1',
    limit() {},
  })
  assert.equal(gate.instance(id, token, incoming(own.value)).instance, id)
  assert.throws(
    () => gate.instance(id, token, incoming(theirs)),
    (error) => error instanceof Failure && error.code === 'api_key_required',
  )
  assert.deepEqual(gate.account('instances:operate', incoming(theirs)), { workspace: OTHER }, 'it opens its own')
  const inHeader = { ...incoming(''), headers: new Headers({ 'Client-Token': imported }) }
  assert.equal(gate.instance(id, token, inHeader).instance, id)
  assert.throws(
    () => gate.instance(id, token, incoming(imported)),
    (error) => error instanceof Failure && error.code === 'api_key_required',
  )
  // An imported token may be short enough to be guessed. So after many failed guesses of such tokens, even the correct
  // token is refused for a while.
  const client = (value: string) => () =>
    gate.instance(id, token, { ...incoming(''), headers: new Headers({ 'Client-Token': value }) }).instance
  const fails = (code: string) => (error: unknown) => error instanceof Failure && error.code === code
  for (let guess = 0; guess < 30; guess++) assert.throws(client(`guess ${guess}`), fails('api_key_required'))
  assert.throws(client(imported), fails('rate_limited'))
  assert.equal(client(own.value)(), id, 'a key of 192 bits is answered all the same')
  service.time.now += 60_000
  assert.equal(client(imported)(), id)
  await account.stop()
})
