/** Tests which servers the service trusts. The JavaScript implementation of the curve signs the certificates. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { proto } from '@whiskeysockets/baileys'
import { wireKeys } from '../../../../packages/sandbox/src/testing.ts'
import { verifyServer } from '../../../../workers/shard/network/noise/server-certificates.ts'

const { generateKeyPair, sign } = wireKeys
type KeyPair = ReturnType<typeof generateKeyPair>

const NOW = 1_800_000_000_000
const DAY = 86_400
const { Details } = proto.CertChain.NoiseCertificate

interface Chain {
  root: KeyPair
  intermediate: KeyPair
  server: KeyPair
}

const newChain = (): Chain => ({ root: generateKeyPair(), intermediate: generateKeyPair(), server: generateKeyPair() })

/** Builds a certificate chain like that of the real server. `change` has the fields that differ from a valid chain. */
function certChain({ root, intermediate, server }: Chain, change: { leaf?: object; intermediate?: object } = {}) {
  const times = { notBefore: NOW / 1000 - DAY, notAfter: NOW / 1000 + DAY }
  const inner = Details.encode({
    serial: 1,
    issuerSerial: 0,
    key: intermediate.publicKey,
    ...times,
    ...change.intermediate,
  }).finish()
  const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: server.publicKey, ...times, ...change.leaf }).finish()
  return proto.CertChain.encode({
    intermediate: { details: inner, signature: sign(root, inner) },
    leaf: { details: leaf, signature: sign(intermediate, leaf) },
  }).finish()
}

let chain: Chain
const problems: string[] = []
beforeEach(() => {
  chain = newChain()
  problems.length = 0
})

const verify = (server: KeyPair, certificates: Uint8Array, mode: 'strict' | 'warn' = 'strict') =>
  verifyServer(server.publicKey, certificates, {
    root: chain.root.publicKey,
    verify: mode,
    now: () => NOW,
    log: (problem) => void problems.push(problem),
  })

test('a server with a chain of the trusted root is accepted', () => {
  verify(chain.server, certChain(chain))
  verify(chain.server, certChain(chain, { leaf: { notBefore: undefined, notAfter: undefined } }))
  assert.deepEqual(problems, [])
})

test('a chain of another root is refused', () => {
  const forged = { ...chain, root: generateKeyPair() }
  assert.throws(() => verify(chain.server, certChain(forged)), /intermediate certificate is not signed by the trusted root$/)
  const isOfWhatsApp = { root: undefined, verify: 'strict', now: () => NOW, log: () => {} } as const
  assert.throws(() => verifyServer(chain.server.publicKey, certChain(chain), isOfWhatsApp), /not signed by the trusted root$/)
})

test('a leaf that the intermediate did not sign is refused', () => {
  const other = certChain({ ...chain, intermediate: generateKeyPair() }, { intermediate: { key: chain.intermediate.publicKey } })
  assert.throws(() => verify(chain.server, other), /leaf certificate is not signed by its issuer$/)
})

test('a captured chain that another server presents is refused', () => {
  assert.throws(() => verify(generateKeyPair(), certChain(chain)), /leaf certificate is for another server than this one$/)
})

test('certificates outside their time, and of another issuer, are refused', () => {
  const late = { notAfter: NOW / 1000 - 2 * 3600 }
  const early = { notBefore: NOW / 1000 + 2 * 3600 }
  for (const change of [late, early]) {
    assert.throws(() => verify(chain.server, certChain(chain, { leaf: change })), /leaf certificate is outside its time$/)
    assert.throws(
      () => verify(chain.server, certChain(chain, { intermediate: change })),
      /intermediate certificate is outside its time$/,
    )
  }
  const within = { notAfter: NOW / 1000 - 1800 }
  verify(chain.server, certChain(chain, { leaf: within, intermediate: within }))
  assert.throws(
    () => verify(chain.server, certChain(chain, { leaf: { issuerSerial: 9 } })),
    /leaf certificate names another issuer than the intermediate certificate$/,
  )
  assert.throws(
    () => verify(chain.server, certChain(chain, { intermediate: { issuerSerial: 9 } })),
    /intermediate certificate names another issuer than the root$/,
  )
})

test('a chain that cannot be read, or that lacks a certificate, is refused', () => {
  const { leaf, intermediate } = proto.CertChain.decode(certChain(chain))
  const encode = (parts: proto.ICertChain) => proto.CertChain.encode(parts).finish()
  const { details } = leaf!
  for (const part of [
    Buffer.from('ff', 'hex'),
    encode({}),
    encode({ intermediate }),
    encode({ intermediate, leaf: { details } }),
  ])
    assert.throws(() => verify(chain.server, part), /leaf certificate is not readable$/)
  assert.throws(() => verify(chain.server, encode({ leaf })), /leaf certificate is not signed by its issuer/)
  const typed = Buffer.concat([Buffer.of(5), chain.server.publicKey])
  assert.throws(() => verify(chain.server, certChain(chain, { leaf: { key: typed } })), /leaf certificate is not readable$/)
})

test('with warn the server is accepted, and each problem is logged', () => {
  const forged = { ...chain, root: generateKeyPair() }
  verify(generateKeyPair(), certChain(forged, { intermediate: { issuerSerial: 4 } }), 'warn')
  assert.deepEqual(problems, [
    "the server's leaf certificate is for another server than this one",
    "the server's intermediate certificate is not signed by the trusted root, names another issuer than the root",
  ])
})
