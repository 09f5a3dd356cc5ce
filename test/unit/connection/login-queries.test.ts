/**
 * Tests the query of the network's properties, which contains the hash of the last answer. If nothing has changed, the
 * network answers without properties. So the service must store the properties.
 */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type AuthenticationCreds, type BinaryNode, getBinaryNodeChild, initAuthCreds } from '@whiskeysockets/baileys'
import { pino } from 'pino'
import { createLoginQueries } from '../../../workers/shard/connection/login-queries.ts'
import { ownFacts } from '../../../workers/shard/keys/own-facts.ts'

const SENT = { privacyTokenOn1to1: false, profilePicPrivacyToken: true, lidTrustedTokenIssueToLid: true }

function network() {
  const hashes: (string | undefined)[] = []
  const prop = (name: string, value: string): BinaryNode => ({ tag: 'prop', attrs: { name, value } })
  async function query(node: BinaryNode): Promise<BinaryNode> {
    const asked = getBinaryNodeChild(node, 'props')
    if (asked === undefined) return { tag: 'iq', attrs: { type: 'result' } }
    hashes.push(asked.attrs.hash)
    const content = asked.attrs.hash === 'h1' ? [] : [prop('10518', '0'), prop('14303', '1')]
    return { tag: 'iq', attrs: { type: 'result' }, content: [{ tag: 'props', attrs: { hash: 'h1' }, content }] }
  }
  return { hashes, query }
}

async function login(creds: AuthenticationCreds, query: (node: BinaryNode) => Promise<BinaryNode>) {
  let saves = 0
  const ev = new EventEmitter()
  const deps = { sock: { ev: ev as never }, creds, save: () => saves++, query, log: pino({ enabled: false }) }
  const { props } = createLoginQueries(deps)
  const before = { ...props }
  ev.emit('connection.update', { connection: 'open' })
  await turn()
  return { before, props, saves }
}

test('properties that the network sent at one login hold from the beginning of the next', async () => {
  const creds = initAuthCreds()
  const { hashes, query } = network()
  const first = await login(creds, query)
  assert.deepEqual(first.props, SENT)
  assert.equal(first.saves, 1)
  const second = await login(creds, query)
  assert.deepEqual(second.before, SENT)
  assert.deepEqual(second.props, SENT)
  assert.deepEqual(hashes, [undefined, 'h1'])
})

test('all properties are queried again if only their hash is known, or if one of them is missing', async () => {
  const { hashes, query } = network()
  // This account knows the hash but not the properties, because another program or an older release did not store them.
  const moved = { ...initAuthCreds(), lastPropHash: 'h1' }
  assert.deepEqual((await login(moved, query)).props, SENT)
  const { serverProps } = ownFacts(moved)
  assert.ok(serverProps)
  const { lidTrustedTokenIssueToLid: _, ...values } = serverProps.values
  moved.additionalData = { serverProps: { ...serverProps, values } }
  assert.deepEqual((await login(moved, query)).props, SENT)
  assert.deepEqual(hashes, [undefined, undefined])
})
