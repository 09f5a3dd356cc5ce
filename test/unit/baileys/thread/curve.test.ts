import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import {
  aesEncryptGCM,
  Curve,
  configureSuccessfulPairing,
  hkdf,
  initAuthCreds,
  makeNoiseHandler,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
} from '@whiskeysockets/baileys'
import pino from 'pino'
import '../../../../workers/shard/baileys/thread/curve.ts'
import { configureTrust } from '../../../../workers/shard/baileys/thread/trust.ts'

const log = pino({ level: 'silent' })
const NOW = 1_800_000_000_000
const DAY = 86_400
const { Details } = proto.CertChain.NoiseCertificate
type Pair = ReturnType<typeof Curve.generateKeyPair>

interface Chain {
  root: Pair
  intermediate: Pair
  server: Pair
}

const newChain = (): Chain => ({
  root: Curve.generateKeyPair(),
  intermediate: Curve.generateKeyPair(),
  server: Curve.generateKeyPair(),
})

/** `change`: the fields that differ from a valid chain. */
function certChain({ root, intermediate, server }: Chain, change: { leaf?: object; intermediate?: object } = {}) {
  const times = { notBefore: NOW / 1000 - DAY, notAfter: NOW / 1000 + DAY }
  const inner = Details.encode({
    serial: 1,
    issuerSerial: 0,
    key: intermediate.public,
    ...times,
    ...change.intermediate,
  }).finish()
  const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: server.public, ...times, ...change.leaf }).finish()
  return proto.CertChain.encode({
    intermediate: { details: inner, signature: Curve.sign(root.private, inner) },
    leaf: { details: leaf, signature: Curve.sign(intermediate.private, leaf) },
  }).finish()
}

function handshake(serverKeys: Pair, chain: Uint8Array) {
  const client = Curve.generateKeyPair()
  const noise = makeNoiseHandler({ keyPair: client, NOISE_HEADER: NOISE_WA_HEADER, logger: log })
  const ephemeral = Curve.generateKeyPair()
  let hash: Buffer = Buffer.from(NOISE_MODE)
  let salt: Uint8Array = hash
  let key: Uint8Array = hash
  let counter = 0
  const mix = (bytes: Uint8Array) => {
    hash = sha256(Buffer.concat([hash, bytes]))
  }
  const mixKey = (shared: Uint8Array) => {
    const out = hkdf(shared, 64, { salt, info: '' })
    salt = out.subarray(0, 32)
    key = out.subarray(32)
    counter = 0
  }
  const seal = (plain: Uint8Array) => {
    const iv = Buffer.alloc(12)
    iv.writeUInt32BE(counter++, 8)
    const sealed = aesEncryptGCM(plain, key, iv, hash)
    mix(sealed)
    return sealed
  }
  mix(NOISE_WA_HEADER)
  mix(client.public)
  mix(ephemeral.public)
  mixKey(Curve.sharedKey(ephemeral.private, client.public))
  const sealedStatic = seal(serverKeys.public)
  mixKey(Curve.sharedKey(serverKeys.private, client.public))
  const payload = seal(chain)
  return noise.processHandshake(
    proto.HandshakeMessage.create({ serverHello: { ephemeral: ephemeral.public, static: sealedStatic, payload } }),
    Curve.generateKeyPair(),
  )
}

let chain: Chain
const problems: string[] = []
const trust = (verify: 'strict' | 'warn' = 'strict') =>
  configureTrust({ root: chain.root.public, verify, now: () => NOW, log: (problem) => problems.push(problem) })

beforeEach(() => {
  chain = newChain()
  problems.length = 0
  trust()
})

test('a server with a chain of the trusted root is taken', () => {
  assert.ok(handshake(chain.server, certChain(chain)))
  assert.deepEqual(problems, [])
})

test('a forged root is refused', () => {
  const forged = { ...chain, root: Curve.generateKeyPair() }
  assert.throws(() => handshake(chain.server, certChain(forged)), /noise intermediate certificate signature invalid/)
})

test('a leaf that the intermediate did not sign is refused', () => {
  const other = certChain(
    { ...chain, intermediate: Curve.generateKeyPair() },
    { intermediate: { key: chain.intermediate.public } },
  )
  assert.throws(() => handshake(chain.server, other), /noise certificate signature invalid/)
})

test('a captured chain presented by another server is refused', () => {
  const thief = Curve.generateKeyPair()
  assert.throws(() => handshake(thief, certChain(chain)), /noise certificate signature invalid/)
  assert.match(problems[0]!, /leaf certificate is for another server/)
})

test('certificates outside their time, and of another issuer, are refused', () => {
  const late = { notAfter: NOW / 1000 - 2 * 3600 }
  const early = { notBefore: NOW / 1000 + 2 * 3600 }
  for (const change of [{ leaf: late }, { leaf: early }]) {
    assert.throws(() => handshake(chain.server, certChain(chain, change)), /noise certificate signature invalid/)
  }
  for (const change of [
    { intermediate: late },
    { intermediate: early },
    { leaf: { issuerSerial: 9 } },
    { intermediate: { issuerSerial: 9 } },
  ]) {
    assert.throws(() => handshake(chain.server, certChain(chain, change)), /noise intermediate certificate signature invalid/)
  }
  assert.ok(
    handshake(chain.server, certChain(chain, { leaf: { notBefore: undefined, notAfter: undefined } })),
    'no bounds are no lie',
  )
})

test('a refused handshake leaves nothing behind for the next one', () => {
  assert.throws(() => handshake(Curve.generateKeyPair(), certChain(chain)))
  assert.ok(handshake(chain.server, certChain(chain)))
})

test('with warn the connection is made and each problem is logged', () => {
  trust('warn')
  const forged = { ...chain, root: Curve.generateKeyPair() }
  assert.ok(handshake(Curve.generateKeyPair(), certChain(forged, { intermediate: { issuerSerial: 4 } })))
  assert.equal(problems.length, 2)
  trust('strict')
  assert.throws(() => handshake(chain.server, certChain(chain, { intermediate: { issuerSerial: 4 } })))
  assert.ok(handshake(chain.server, certChain(chain)))
})

test('a forged account signature is refused at pairing, also with warn', () => {
  trust('warn')
  const creds = initAuthCreds()
  const account = Curve.generateKeyPair()
  const pair = (signer: Pair) => {
    const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: 1, keyIndex: 1 }).finish()
    const message = Buffer.concat([Buffer.of(6, 0), details, creds.signedIdentityKey.public])
    const signed = proto.ADVSignedDeviceIdentity.encode({
      details,
      accountSignatureKey: account.public,
      accountSignature: Curve.sign(signer.private, message),
    }).finish()
    const hmac = createHmac('sha256', Buffer.from(creds.advSecretKey, 'base64')).update(signed).digest()
    const container = proto.ADVSignedDeviceIdentityHMAC.encode({ details: signed, hmac }).finish()
    const child = (tag: string, attrs: Record<string, string>, content?: Uint8Array) => ({
      tag,
      attrs,
      ...(content ? { content } : {}),
    })
    return configureSuccessfulPairing(
      {
        tag: 'iq',
        attrs: { id: '1' },
        content: [
          {
            tag: 'pair-success',
            attrs: {},
            content: [
              child('device-identity', {}, container),
              child('device', { jid: '49157:1@s.whatsapp.net', lid: '999:1@lid' }),
            ],
          },
        ],
      },
      creds,
    )
  }
  assert.ok(pair(account).creds.account)
  assert.throws(() => pair(Curve.generateKeyPair()), /Failed to verify account signature/)
})

test('keys, agreements and signatures are those of the JavaScript library', async () => {
  const js = await import('libsignal/src/curve.js')
  const a = Curve.generateKeyPair()
  const b = Curve.generateKeyPair()
  assert.equal(a.public.length, 32)
  const typed = (key: Uint8Array) => Buffer.concat([Buffer.of(5), key])
  assert.deepEqual(
    Curve.sharedKey(a.private, b.public),
    Buffer.from(js.calculateAgreement(typed(b.public), Buffer.from(a.private))),
  )
  assert.deepEqual(Curve.sharedKey(a.private, b.public), Curve.sharedKey(b.private, typed(a.public)))
  const message = Buffer.of(6, 0, 1, 2)
  const signature = Curve.sign(a.private, message)
  assert.equal(js.verifySignature(typed(a.public), message, signature), true)
  assert.equal(Curve.verify(a.public, message, Buffer.from(js.calculateSignature(Buffer.from(a.private), message))), true)
  assert.equal(Curve.verify(a.public, Buffer.of(6, 0, 1, 3), signature), false)
  assert.equal(Curve.verify(a.public, message, signature.subarray(1)), false, 'a wrong length is no signature')
  assert.throws(() => Curve.sharedKey(a.private, Buffer.alloc(3)), Error)
})
