/**
 * Decrypts content about another message: votes, answers to events, edits, reactions and comments. Clients derive the
 * key from the LID or the number of each person, so all combinations are tried.
 */
import { createDecipheriv, hkdfSync } from 'node:crypto'
import type { proto } from '@whiskeysockets/baileys'
import type { Identity } from '../../wire/person.ts'
import { type Content, unwrap } from './content.ts'
import type { KnownMessage, Scene } from './family.ts'
import { namesOf, reference } from './referenced.ts'

/**
 * Text that is part of the input of the key derivation. The empty text is used for an answer of a bot, for which an
 * earlier derivation has already added the purpose.
 */
export type Purpose = '' | 'Poll Vote' | 'Event Response' | 'Message Edit' | 'Event Edit' | 'Enc Reaction' | 'Enc Comment'

export interface Sealed {
  payload: Uint8Array | null | undefined
  iv: Uint8Array | null | undefined
}

const TAG_BYTES = 16
export const SECRET_BYTES = 32
/** Purposes whose encryption also authenticates the message id and the sender (AAD). */
const BOUND: ReadonlySet<Purpose> = new Set(['', 'Poll Vote', 'Event Response'])

/**
 * Decrypts content about another message. Null if the content is incomplete, if this message or its secret is unknown,
 * or if no pair of the author's and the sender's identifiers decrypts the content.
 */
export async function decryptAbout(
  scene: Scene,
  target: proto.IMessageKey | null | undefined,
  purpose: Purpose,
  { payload, iv }: Sealed,
): Promise<{ plain: Uint8Array; original: KnownMessage } | null> {
  if (!target?.id || !payload || payload.length < TAG_BYTES || !iv?.length) return null
  const original = await scene.context.original(target.id, scene.key)
  const secret = original && secretOf(original.message)
  if (!original || secret?.length !== SECRET_BYTES) return null
  const authors = await allNames(scene, [
    ...(original.key.fromMe ? scene.context.identity.own() : namesOf(original.key)),
    ...(reference(target, scene)?.authors ?? []),
  ])
  const speakers = await allNames(scene, scene.fromMe ? scene.context.identity.own() : namesOf(scene.key))
  for (const author of authors) {
    for (const sender of speakers) {
      const plain = tryOpen(secret, target.id, author, sender, purpose, payload, iv)
      if (plain) return { plain, original }
    }
  }
  return null
}

/** Returns the secret of a message. It is in the object that contains the content, or in a wrapper around it. */
export const secretOf = (message: Content): Uint8Array | null | undefined =>
  unwrap(message)?.aside.messageSecret ?? message.messageContextInfo?.messageSecret

export async function allNames(
  { context: { identity } }: { context: { identity: Pick<Identity, 'lidOf' | 'pnOf'> } },
  jids: readonly string[],
): Promise<Set<string>> {
  const names = new Set(jids)
  for (const jid of jids) {
    const other = jid.endsWith('@lid') ? await identity.pnOf(jid) : await identity.lidOf(jid)
    if (other) names.add(other)
  }
  return names
}

export function tryOpen(
  secret: Uint8Array,
  id: string,
  author: string,
  sender: string,
  purpose: Purpose,
  payload: Uint8Array,
  iv: Uint8Array,
): Uint8Array | null {
  const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(32), `${id}${author}${sender}${purpose}`, 32))
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv)
    if (BOUND.has(purpose)) decipher.setAAD(Buffer.from(`${id}\0${sender}`))
    decipher.setAuthTag(payload.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    // The authentication tag does not match, so these are not the jids that the sender used.
    return null
  }
}
