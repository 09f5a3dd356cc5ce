import { createCipheriv, randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { mediaSource } from '../people/describe.ts'
import { hkdf } from '../wire/keys.ts'
import { type BinaryNode, child, node, seconds } from '../wire/node.ts'
import { enqueue } from './delivery.ts'
import type { Companion, Network } from './model.ts'
import { findPerson, pnOf } from './people.ts'

const NOT_FOUND = 2

/**
 * Answers a device that asks its phone to upload a file again. The media host still has the file, so the answer
 * contains the same path.
 */
export function answerMediaRetry(network: Network, companion: Companion, item: BinaryNode) {
  const { id = '' } = item.attrs
  const rmr = child(item, 'rmr')
  const isOwn = rmr?.attrs.from_me === 'true'
  const author = isOwn ? companion.person : findPerson(network, rmr?.attrs.participant ?? rmr?.attrs.jid ?? '')
  const remembered = author?.sent.get(id)
  const source = remembered && mediaSource(proto.Message.decode(remembered.message))
  const answer = source ? seal(id, source.directPath, source.mediaKey) : node('error', { code: NOT_FOUND })
  const attrs = { from: pnOf(companion.person), type: 'mediaretry', id, t: seconds() }
  enqueue(network, companion, node('notification', attrs, [...(rmr ? [rmr] : []), answer]))
}

function seal(stanzaId: string, directPath: string, mediaKey: Uint8Array): BinaryNode {
  const result = proto.MediaRetryNotification.ResultType.SUCCESS
  const plain = proto.MediaRetryNotification.encode({ stanzaId, directPath, result }).finish()
  const key = hkdf(mediaKey, 32, Buffer.alloc(0), 'WhatsApp Media Retry Notification')
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(stanzaId))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return node('encrypt', {}, [node('enc_p', {}, sealed), node('enc_iv', {}, iv)])
}
