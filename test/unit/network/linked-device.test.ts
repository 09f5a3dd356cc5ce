/** Tests the verification of a pairing. The library itself accepts every well-formed signature of an account. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { type BinaryNode, Curve, configureSuccessfulPairing, initAuthCreds, proto } from '@whiskeysockets/baileys'
import { isSignedBy } from '../../../workers/shard/keys/curve.ts'
import { linkedDevice } from '../../../workers/shard/network/login/linked-device.ts'
import { isPairSuccess, pairSuccessIn } from '../../../workers/shard/wire/pair-device.ts'

const creds = initAuthCreds()
const account = Curve.generateKeyPair()
const { HOSTED } = proto.ADVEncryptionType

interface Forged {
  signer?: typeof account
  secret?: Uint8Array
  isHosted?: boolean
  business?: string
  key?: Uint8Array
  jid?: string
}

/** Builds the stanza which reports that the phone of `account` has linked this device. */
function report({
  signer = account,
  secret = Buffer.from(creds.advSecretKey, 'base64'),
  isHosted = false,
  business,
  key = account.public,
  jid = '49157:1@s.whatsapp.net',
}: Forged = {}): BinaryNode {
  const prefix = isHosted ? Buffer.of(6, 5) : Buffer.of(6, 0)
  const details = proto.ADVDeviceIdentity.encode({
    rawId: 1,
    timestamp: 1,
    keyIndex: 3,
    ...(isHosted ? { deviceType: HOSTED } : {}),
  }).finish()
  const signed = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: key,
    accountSignature: Curve.sign(signer.private, Buffer.concat([prefix, details, creds.signedIdentityKey.public])),
  }).finish()
  const proven = isHosted ? Buffer.concat([prefix, signed]) : signed
  const container = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: signed,
    hmac: createHmac('sha256', secret).update(proven).digest(),
    ...(isHosted ? { accountType: HOSTED } : {}),
  }).finish()
  const content: BinaryNode[] = [
    { tag: 'device-identity', attrs: {}, content: container },
    { tag: 'device', attrs: { jid, lid: '999:1@lid' } },
    { tag: 'platform', attrs: { name: 'iphone' } },
    ...(business ? [{ tag: 'biz', attrs: { name: business } }] : []),
  ]
  return {
    tag: 'iq',
    attrs: { id: '1', from: 's.whatsapp.net', type: 'set' },
    content: [{ tag: 'pair-success', attrs: {}, content }],
  }
}

const link = (node: BinaryNode) => linkedDevice(pairSuccessIn(node), creds)

/** Returns the account without the signature of this device, which is random. */
const unsigned = (signed: proto.IADVSignedDeviceIdentity | undefined) => ({ ...signed, deviceSignature: undefined })

for (const isHosted of [false, true]) {
  test(`a ${isHosted ? 'hosted' : 'plain'} account is linked as the library does it, and the device signs its identity`, () => {
    const node = report({ isHosted, business: 'Padaria' })
    const { update, reply } = link(node)
    const theirs = configureSuccessfulPairing(node, creds)
    const { account: linked, ...rest } = update
    // The library also adds the identity of the phone to a list (`signalIdentities`), and does not use this list.
    const { account: linkedByLibrary, signalIdentities: _, ...restOfLibrary } = theirs.creds
    assert.deepEqual(rest, restOfLibrary)
    assert.deepEqual(unsigned(linked), unsigned(linkedByLibrary))
    const message = Buffer.concat([Buffer.of(6, 1), linked!.details!, creds.signedIdentityKey.public, account.public])
    assert.ok(isSignedBy(creds.signedIdentityKey.public, message, linked!.deviceSignature!))

    const identityOf = ({ content }: BinaryNode) => ((content as BinaryNode[])[0]!.content as BinaryNode[])[0]!
    const { content: identity, attrs } = identityOf(reply)
    const sent = proto.ADVSignedDeviceIdentity.decode(identity as Uint8Array)
    assert.deepEqual([attrs, reply.attrs], [identityOf(theirs.reply).attrs, theirs.reply.attrs])
    assert.deepEqual(Buffer.from(sent.deviceSignature!), linked!.deviceSignature)
    assert.ok(!sent.accountSignatureKey?.length)
  })
}

test('an account without a name or another platform is linked', () => {
  const { me, platform } = link(report()).update
  assert.deepEqual([me, platform], [{ id: '49157:1@s.whatsapp.net', lid: '999:1@lid' }, 'iphone'])
})

test('a forged signature of the account is refused', () => {
  assert.throws(() => link(report({ signer: Curve.generateKeyPair() })), /is not signed by its account/)
})

test('a phone that does not know the secret of the code is refused', () => {
  assert.throws(() => link(report({ secret: Buffer.alloc(32) })), /was not created with the secret of its code/)
})

test('a key of the account with a type byte is refused, as by other clients', () => {
  assert.throws(() => link(report({ key: Buffer.concat([Buffer.of(5), account.public]) })), /identity .* is incomplete/)
})

test('only the server reports that a device is linked', () => {
  const node = report()
  assert.ok(isPairSuccess(node))
  for (const [name, value] of Object.entries({ from: '49157@s.whatsapp.net', type: 'result' }))
    assert.ok(!isPairSuccess({ ...node, attrs: { ...node.attrs, [name]: value } }))
})

test('a report without a device or an identity is refused', () => {
  for (const jid of ['49157@s.whatsapp.net', 'no jid']) assert.throws(() => link(report({ jid })), /has no identity or no device/)
  const node = report()
  for (const tag of ['device', 'device-identity']) {
    const [success] = node.content as BinaryNode[]
    const content = (success!.content as BinaryNode[]).filter((child) => child.tag !== tag)
    assert.throws(() => link({ ...node, content: [{ ...success!, content }] }), /has no identity or no device/)
  }
})
