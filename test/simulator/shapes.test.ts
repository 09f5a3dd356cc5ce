import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { node, silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { startSimulator } from '../harness/network.ts'
import { jidOf, pair } from './client.ts'
import { connectRaw, type RawClient } from './raw-client.ts'

/** Tests attributes and children of the network's stanzas that other clients use, although the library ignores them. */

silenceLibsignal()
const PHONE = '5511900000001'
const ANA = '5511900000002'
const GROUPS = '@g.us'

let client: RawClient
let connectAgain: () => Promise<RawClient>

const contentOf = (item: BinaryNode | undefined): BinaryNode[] => (Array.isArray(item?.content) ? item.content : [])
const find = (item: BinaryNode | undefined, ...path: string[]): BinaryNode | undefined =>
  path.reduce((at, tag) => contentOf(at).find((child) => child.tag === tag), item)
const lengthOf = (item: BinaryNode | undefined) => (item?.content instanceof Uint8Array ? item.content.length : undefined)
const iq = (type: 'get' | 'set', xmlns: string, content: BinaryNode[], attrs: Record<string, string> = {}) =>
  client.query(node('iq', { type, xmlns, ...attrs }, content))
const lidOf = (phone: string) => {
  const people = simulator.control.state().contacts as { phone: string; lid: string }[]
  return `${people.find((each) => each.phone === phone)!.lid}@lid`
}

const simulator = await startSimulator()
simulator.control.createPhone({ phone: PHONE, name: 'Ada' })
simulator.control.createContact(ANA, { name: 'Ana' })
const library = await pair(simulator, PHONE)
const { me, noiseKey: noise } = library.auth.creds
const [, number = '', id = '0'] = /^(\d+):(\d+)@/.exec(me!.id) ?? []
await library.close()
const auth = library.auth
connectAgain = () =>
  connectRaw({
    url: simulator.url,
    secret: noise.private,
    payload: { username: Number(number), device: Number(id), passive: false },
  })
client = await connectAgain()
await client.until((item) => find(item, 'offline') !== undefined, 'the end of the queue')

after(async () => {
  await client?.close()
  await simulator?.stop()
})

test('a login is told who it is, where it is, and which properties to ask for', () => {
  const { attrs } = client.heard.find(({ tag }) => tag === 'success')!
  assert.deepEqual([attrs.display_name, attrs.abprops, attrs.group_abprops], ['Ada', '1', '1'])
  assert.match(attrs.lid ?? '', /:\d+@lid$/)
  assert.ok(attrs.location && attrs.t && attrs.creation)
  // The attribute must be derived from the real key of this device.
  assert.equal(attrs.companion_enc_static, createHash('sha256').update(auth.creds.noiseKey.public).digest('base64'))
})

test('what waits is announced by kind, calls among them', () => {
  const preview = find(
    client.heard.find((item) => find(item, 'offline_preview')),
    'offline_preview',
  )
  assert.deepEqual(Object.keys(preview!.attrs).sort(), ['appdata', 'call', 'count', 'message', 'notification', 'receipt'])
})

// Clients compute this digest from their own keys. If the server's digest is different, they upload their keys again.
test('the digest of keys hashes the identity, the signed key with its signature, and the one-time keys in the order of the list', async () => {
  const digest = find(await iq('get', 'encrypt', [node('digest')]), 'digest')
  const skey = find(digest, 'skey')
  assert.deepEqual(
    ['id', 'value', 'signature'].map((tag) => lengthOf(find(skey, tag))),
    [3, 32, 64],
  )
  const { creds, keys } = auth
  const ids = contentOf(find(digest, 'list')).map(({ content }) => String(Buffer.from(content as Uint8Array).readUIntBE(0, 3)))
  const known = await keys.get('pre-key', ids)
  const { signedIdentityKey, signedPreKey } = creds
  const hash = createHash('sha1')
    .update(signedIdentityKey.public)
    .update(signedPreKey.keyPair.public)
    .update(signedPreKey.signature)
  for (const id of ids) hash.update(known[id]!.public)
  assert.ok(ids.length > 0)
  assert.deepEqual(Buffer.from(find(digest, 'hash')!.content as Uint8Array), hash.digest())
})

test('a block list is answered as matched, or whole, with its hash; what neither blocks nor unblocks is refused', async () => {
  const change = (attrs: Record<string, string>) => iq('set', 'blocklist', [node('item', { jid: lidOf(ANA), ...attrs })])
  const blocked = find(await change({ action: 'block', pn_jid: jidOf(ANA) }), 'list')
  assert.equal(blocked?.attrs.matched, 'false')
  assert.deepEqual(
    contentOf(blocked).map(({ attrs }) => attrs),
    [{ jid: lidOf(ANA), pn_jid: jidOf(ANA) }],
  )
  const unblocked = find(await change({ action: 'unblock', dhash: blocked!.attrs.dhash! }), 'list')
  assert.equal(unblocked?.attrs.matched, 'true')
  assert.deepEqual([contentOf(unblocked).length, typeof unblocked?.attrs.dhash], [0, 'string'])
  for (const attrs of [{}, { action: 'remove' }])
    assert.equal(find(await change(attrs as Record<string, string>), 'error')?.attrs.code, '400')
})

test('a link to a call is acknowledged with a type', async () => {
  client.send(node('call', { id: 'CALL1', to: 's.whatsapp.net' }, [node('link_create', { media: 'video' })]))
  const ack = await client.until(({ tag, attrs }) => tag === 'ack' && attrs.id === 'CALL1', 'the ack')
  assert.deepEqual([ack.attrs.class, ack.attrs.type], ['call', 'link_create'])
  const link = find(ack, 'link_create')
  assert.equal(link?.attrs.media, 'video')
  assert.match(link?.attrs.token ?? '', /^[\w-]{22}$/)
})

test('a group is made with its description, and a change of its members has a version', async () => {
  const wanted = node('create', { subject: 'Team', key: 'K1' }, [
    node('participant', { jid: jidOf(ANA) }),
    node('description', { id: 'D1' }, [node('body', {}, Buffer.from('About us'))]),
  ])
  const group = find(await iq('set', 'w:g2', [wanted], { to: GROUPS }), 'group')!
  const body = find(group, 'description', 'body')?.content
  assert.deepEqual([find(group, 'description')?.attrs.id, Buffer.from(body as Uint8Array).toString()], ['D1', 'About us'])
  const to = `${group.attrs.id}@g.us`
  const before = client.heard.length
  const ana = contentOf(group).find(({ tag, attrs }) => tag === 'participant' && attrs.phone_number === jidOf(ANA))
  assert.ok(ana, 'who was wanted is in it')
  await iq('set', 'w:g2', [node('promote', {}, [node('participant', { jid: ana.attrs.jid! })])], { to })
  const versions = client.heard
    .slice(before)
    .filter(({ attrs }) => attrs.type === 'w:gp2')
    .flatMap(contentOf)
    .map(({ tag, attrs }) => [tag, attrs.v_id !== undefined])
  assert.deepEqual(
    versions.filter(([tag]) => tag === 'promote'),
    [['promote', true]],
  )
})

test('a post with a picture is media of a type, and one that is gone is told by an empty text', async () => {
  const { id } = simulator.control.createNewsletter({ owner: ANA, name: 'News', subscribers: [PHONE] })
  const proto = { imageMessage: { mimetype: 'image/jpeg', caption: 'Look', directPath: '/v/x?ccb=1' } }
  const told = (fits: (item: BinaryNode) => boolean, what: string) =>
    client.until((item) => item.tag === 'message' && item.attrs.from === id && fits(item), what)
  const picture = await simulator.control.postToNewsletter(id, { proto })
  const shown = await told(({ attrs }) => attrs.id === picture.id, 'the post')
  assert.deepEqual([shown.attrs.type, find(shown, 'plaintext')?.attrs.mediatype], ['media', 'image'])
  const text = await simulator.control.postToNewsletter(id, { text: 'one' })
  const plain = await told(({ attrs }) => attrs.id === text.id, 'the text')
  assert.deepEqual([plain.attrs.type, find(plain, 'plaintext')?.attrs.mediatype], ['text', undefined])
  await simulator.control.changePost?.(id, text.id)
  const removed = await told(({ attrs }) => attrs.id === text.id && attrs.edit === '8', 'the removal')
  assert.ok(find(removed, 'plaintext'))
  assert.equal(lengthOf(find(removed, 'plaintext')) ?? 0, 0)
  assert.ok(find(removed, 'meta')?.attrs.original_msg_t)
})

test('a query that nobody knows is refused as the server would, counted and listed', async () => {
  const before = simulator.control.stats().unknown_queries.length
  const answer = await iq('get', 'w:new', [node('something')])
  assert.deepEqual(find(answer, 'error')?.attrs, { code: '501', text: 'feature-not-implemented' })
  assert.deepEqual(simulator.control.stats().unknown_queries.slice(before), ['w:new get something'])
})

test('a stream error goes out, then the line drops without a close frame', async () => {
  simulator.control.addFault({ on: 'presence', do: { stream_error: 503 }, times: 1 })
  client.send(node('presence', { type: 'available', name: 'Ada' }))
  const error = await client.until(({ tag }) => tag === 'stream:error', 'the stream error')
  assert.equal(error.attrs.code, '503')
  assert.equal(await client.ended, 1006)
  client = await connectAgain()
  await client.until(({ tag }) => tag === 'success', 'the next login')
})
