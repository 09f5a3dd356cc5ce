import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ControlError } from '../control/control-error.ts'
import type { Taken } from '../control/network-control.ts'
import { agree, generateKeyPair, hkdf } from '../wire/keys.ts'
import { type BinaryNode, childBytes, node, randomId, SERVER_JID, seconds, textOf } from '../wire/node.ts'
import type { CodePairing, Finish } from './code-pairings.ts'
import { pairingsOf } from './code-pairings.ts'
import { parseJid } from './jid.ts'
import type { Network, Person } from './model.ts'
import { linkOrDemandPasskey } from './passkey.ts'
import { type Query, QueryError } from './queries/query.ts'

const ROUNDS = 131_072
const SALT = 32
const IV = 16
const GCM_IV = 12
const TAG = 16

/** Handles the two stanzas of the device: its hello, and the bundle of keys that it sends after the phone's answer. */
export function receiveLinkCode({ network, connection, subject }: Query): BinaryNode[] | undefined {
  const { stage, jid = '' } = subject.attrs
  if (stage === 'companion_hello') {
    const wrapped = childBytes(subject, 'link_code_pairing_wrapped_companion_ephemeral_pub')
    if (!wrapped) throw new QueryError(400, 'bad-request')
    const ref = randomBytes(12).toString('base64url')
    pairingsOf(network).set(connection, { number: parseJid(jid).user, connection, ref, wrapped, finish: undefined })
    return [node('link_code_companion_reg', { stage: 'companion_hello' }, [node('link_code_pairing_ref', {}, ref)])]
  }
  const pairing = pairingsOf(network).get(connection)
  const bundle = childBytes(subject, 'link_code_pairing_wrapped_key_bundle')
  const identity = childBytes(subject, 'companion_identity_public')
  const ref = textOf(
    subject.content && Array.isArray(subject.content)
      ? subject.content.find((part) => part.tag === 'link_code_pairing_ref')
      : undefined,
  )
  if (stage !== 'companion_finish' || !pairing?.finish || !bundle || !identity || ref !== pairing.ref)
    throw new QueryError(400, 'bad-request')
  pairing.finish.resolve({ bundle, identity })
  return undefined
}

function codeKey(code: string, salt: Uint8Array): Buffer {
  return pbkdf2Sync(Buffer.from(code), salt, ROUNDS, 32, 'sha256')
}

/** Time in ms that a typed code waits for the device, because a client knows its code before the server does. */
const HELLO_DEADLINE = 1_000

async function findWaiting(network: Network, phone: Person): Promise<CodePairing | undefined> {
  const deadline = Date.now() + HELLO_DEADLINE
  for (;;) {
    const found = [...pairingsOf(network).values()].findLast((item) => item.number === phone.number)
    if (found || Date.now() > deadline) return found
    await pause(20)
  }
}

/**
 * Links the device that shows this code. A wrong code is noticed only when the bundle of the device cannot be
 * decrypted.
 */
export async function enterCode(network: Network, phone: Person, code: string): Promise<Taken> {
  const pairing = await findWaiting(network, phone)
  if (!pairing) throw new ControlError('conflict', `nobody waits for a code of ${phone.number}`)
  const typed = code.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  const { connection, wrapped, ref } = pairing
  const decipher = createDecipheriv('aes-256-ctr', codeKey(typed, wrapped.subarray(0, SALT)), wrapped.subarray(SALT, SALT + IV))
  const companionEphemeral = Buffer.concat([decipher.update(wrapped.subarray(SALT + IV)), decipher.final()])

  const ephemeral = generateKeyPair()
  const salt = randomBytes(SALT)
  const iv = randomBytes(IV)
  const cipher = createCipheriv('aes-256-ctr', codeKey(typed, salt), iv)
  const primary = Buffer.concat([salt, iv, cipher.update(ephemeral.publicKey), cipher.final()])
  const signal = phone.devices[0]!.signal

  const answered = new Promise<Finish>((resolve, reject) => {
    pairing.finish = { resolve }
    // A device answers immediately or not at all, so a fixed deadline is enough.
    network.later(10_000, () => reject(new ControlError('conflict', 'the device did not answer')))
  })
  connection.send(
    node('notification', { from: SERVER_JID, type: 'link_code_companion_reg', id: randomId(), t: seconds() }, [
      node('link_code_companion_reg', { stage: 'primary_hello' }, [
        node('link_code_pairing_ref', {}, ref),
        node('link_code_pairing_wrapped_primary_ephemeral_pub', {}, primary),
        node('primary_identity_pub', {}, signal.identity),
      ]),
    ]),
  )
  const { bundle, identity } = await answered
  const shared = agree(ephemeral, companionEphemeral)
  const opened = openBundle(bundle, shared)
  if (!opened?.subarray(0, 32).equals(identity)) throw new ControlError('conflict', 'the code is wrong')
  const secret = Buffer.concat([shared, signal.agree(identity), opened.subarray(64)])
  return linkOrDemandPasskey(network, phone, connection, hkdf(secret, 32, Buffer.alloc(0), 'adv_secret'))
}

/**
 * Decrypts the bundle: the identity of the device, the identity of the phone, and 32 random bytes. Returns undefined if
 * the device showed another code.
 */
function openBundle(bundle: Buffer, shared: Buffer): Buffer | undefined {
  const key = hkdf(shared, 32, bundle.subarray(0, SALT), 'link_code_pairing_key_bundle_encryption_key')
  const decipher = createDecipheriv('aes-256-gcm', key, bundle.subarray(SALT, SALT + GCM_IV))
  decipher.setAuthTag(bundle.subarray(bundle.length - TAG))
  const opened = decipher.update(bundle.subarray(SALT + GCM_IV, bundle.length - TAG))
  try {
    return Buffer.concat([opened, decipher.final()])
  } catch {
    // If the code is wrong, the authentication of AES-GCM fails, and `final` throws.
    return undefined
  }
}
