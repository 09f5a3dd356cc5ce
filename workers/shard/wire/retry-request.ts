/** Builds the receipt that asks a sender to send a message again, because it could not be decrypted. */
import {
  type AuthenticationCreds,
  type BinaryNode,
  encodeBigEndian,
  encodeSignedDeviceIdentity,
  type KeyPair,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys'
import { KEY_BUNDLE_TYPE } from '@whiskeysockets/baileys/lib/Defaults/index.js'
import { deviceIdentityNode } from './message-nodes.ts'

export interface RetryFacts {
  count: number
  error: number
  preKey?: { id: number; pair: KeyPair }
}

type Own = Pick<AuthenticationCreds, 'registrationId' | 'signedIdentityKey' | 'signedPreKey' | 'account'>

export function retryRequest({ attrs }: BinaryNode, own: Own, { count, error, preKey }: RetryFacts): BinaryNode {
  const { id = '', from = '', t, participant, recipient } = attrs
  const receipt: BinaryNode & { content: BinaryNode[] } = {
    tag: 'receipt',
    attrs: { id, type: 'retry', to: from, ...(participant ? { participant } : recipient ? { recipient } : {}) },
    content: [
      { tag: 'retry', attrs: { count: String(count), id, ...(t ? { t } : {}), v: '1', error: String(error) } },
      { tag: 'registration', attrs: {}, content: encodeBigEndian(own.registrationId) },
    ],
  }
  if (preKey) receipt.content.push(keysOf(own, preKey))
  return receipt
}

const keysOf = (own: Own, { id, pair }: NonNullable<RetryFacts['preKey']>): BinaryNode => ({
  tag: 'keys',
  attrs: {},
  content: [
    { tag: 'type', attrs: {}, content: Buffer.from(KEY_BUNDLE_TYPE) },
    { tag: 'identity', attrs: {}, content: own.signedIdentityKey.public },
    xmppPreKey(pair, id),
    xmppSignedPreKey(own.signedPreKey),
    deviceIdentityNode(encodeSignedDeviceIdentity(own.account!, true)),
  ],
})
