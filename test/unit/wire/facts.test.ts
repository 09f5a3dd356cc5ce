import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  type AuthenticationCreds,
  type BinaryNode,
  Curve,
  initAuthCreds,
  proto,
  signedKeyPair,
  type WAVersion,
} from '@whiskeysockets/baileys'
import { keepFacts } from '../../../workers/shard/keys/own-facts.ts'
import { createLoginCounts } from '../../../workers/shard/network/login/login-counts.ts'
import { clientPayload } from '../../../workers/shard/network/noise/handshake.ts'
import { retryRequest } from '../../../workers/shard/wire/retry-request.ts'
import { ROOT } from '../../harness/checkout.ts'
import { missingTests } from '../../harness/named-tests.ts'

const content = (node: BinaryNode | undefined) => (node?.content ?? []) as BinaryNode[]
const childOf = (node: BinaryNode | undefined, tag: string) => content(node).find((each) => each.tag === tag)

test('10: a request to send again contains the error, the chat only if it has two people, and the keys unchanged', () => {
  const creds = initAuthCreds()
  const own = {
    ...creds,
    account: { details: new Uint8Array(), accountSignature: new Uint8Array(), deviceSignature: new Uint8Array() },
  }
  const message = (attrs: Record<string, string>): BinaryNode => ({ tag: 'message', attrs: { id: 'A', t: '1', ...attrs } })
  const preKey = { id: 7, pair: Curve.generateKeyPair() }

  const two = retryRequest(message({ from: '1@lid', recipient: '2@lid' }), own, { count: 1, error: 0 })
  assert.deepEqual(two.attrs, { id: 'A', type: 'retry', to: '1@lid', recipient: '2@lid' })
  assert.deepEqual(childOf(two, 'retry')?.attrs, { count: '1', id: 'A', t: '1', v: '1', error: '0' })
  assert.equal(childOf(two, 'keys'), undefined)

  const group = retryRequest(message({ from: '1@g.us', participant: '2:3@lid', recipient: '4@lid' }), own, {
    count: 2,
    error: 4,
    preKey,
  })
  assert.deepEqual(group.attrs, { id: 'A', type: 'retry', to: '1@g.us', participant: '2:3@lid' })
  const keys = childOf(group, 'keys')
  for (const key of [childOf(keys, 'identity'), childOf(childOf(keys, 'key'), 'value'), childOf(childOf(keys, 'skey'), 'value')])
    assert.equal(Buffer.from((key?.content ?? []) as Uint8Array).length, 32)
})

test('13: a login and a registration have the same content as those of a browser', () => {
  const version: WAVersion = [2, 3000, 1]
  const creds = { ...initAuthCreds(), signedPreKey: signedKeyPair(Curve.generateKeyPair(), 1) }
  const linked = { ...creds, me: { id: '5511999990000:7@s.whatsapp.net' } }
  const counted = ({ lc, connectAttemptCount }: proto.IClientPayload) => [lc ?? null, connectAttemptCount ?? null]
  const loginCounts = createLoginCounts()
  const payload = (creds: AuthenticationCreds) => clientPayload({ creds, version, loginCounts })
  keepFacts(linked, { logins: 4 })
  assert.deepEqual(counted(payload(linked)), [4, 0])
  loginCounts.accepted(linked)
  assert.deepEqual(counted(payload(linked)), [5, 1])
  keepFacts(linked, { logins: undefined })
  assert.deepEqual(counted(payload(linked)), [0, 1], 'linked anew; the process is the same')
  const other = { ...creds, me: { id: '5511999990000:8@s.whatsapp.net' } }
  assert.deepEqual(counted(payload(other)), [0, 0], 'nothing of another device')
  const login = payload(linked)
  assert.equal(login.userAgent?.osVersion, '0.1')
  assert.equal(login.userAgent?.phoneId ?? '', '')
  assert.equal(login.pull, true)
  const registration = payload(creds)
  assert.equal(registration.pull, false)
  assert.deepEqual(counted(registration), [null, null])
  const props = proto.DeviceProps.decode(registration.devicePairingData!.deviceProps!)
  assert.equal(props.os, 'Mac OS')
  assert.deepEqual([props.version?.primary, props.version?.secondary], [10, 15], 'of the system, not of the client')
  assert.equal(props.historySyncConfig?.storageQuotaMb, 10_240)
  assert.equal(props.requireFullSync, false)
})

test('each of the thirty facts has a row, and each test that a row names is there', () => {
  const page = readFileSync(new URL('docs/wire-facts.md', ROOT), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| \d+ \|/.test(line))
  assert.deepEqual(
    rows.map((row) => Number(row.split('|')[1])),
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  assert.deepEqual(rows.flatMap(missingTests), [])
  const places = rows.flatMap((row) => [...row.split('|')[4]!.matchAll(/`([\w/.-]+)`/g)].map(([, path]) => path!))
  assert.ok(places.length > 30, String(places.length))
  const isThere = (path: string) => existsSync(new URL(/^(?:workers|src)\//.test(path) ? path : `workers/shard/${path}`, ROOT))
  assert.deepEqual(
    places.filter((path) => !isThere(path)),
    [],
  )
})
