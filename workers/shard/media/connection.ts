/**
 * Hosts and credentials for uploads, asked once per socket and kept as long as the network says. Not the library's: one failed or
 * unanswered query there leaves a rejected promise behind that every later upload of the socket gets.
 */
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { SECOND } from '../../../src/domain/clock.ts'
import { Failure } from '../../../src/domain/failures.ts'
import { boundedQuery } from '../baileys/query.ts'
import type { Session } from '../chats/session.ts'
import { sendFailure } from '../connection/failures.ts'

export interface MediaConnection {
  auth: string
  /** In the order they are to be tried. */
  hosts: string[]
}

const QUERY_DEADLINE = 20 * SECOND
/** When the network does not say how long. */
const USUAL_LIFE = 300 * SECOND

const known = new WeakMap<Session, MediaConnection & { until: number }>()

/** `isNew`: what is known has been refused. */
export async function mediaConnection(session: Session, isNew = false): Promise<MediaConnection> {
  const cached = known.get(session)
  // Monotonic: the wall clock may be set.
  if (cached && !isNew && performance.now() < cached.until) return cached
  const question = {
    tag: 'iq',
    attrs: { type: 'set', xmlns: 'w:m', to: S_WHATSAPP_NET },
    content: [{ tag: 'media_conn', attrs: {} }],
  }
  const answer = await boundedQuery(session.sock, question, QUERY_DEADLINE).catch((error: unknown) => {
    throw sendFailure(error)
  })
  const node = getBinaryNodeChild(answer, 'media_conn')
  const hosts = getBinaryNodeChildren(node, 'host').flatMap(({ attrs }) => (attrs.hostname ? [attrs.hostname] : []))
  if (!node?.attrs.auth || hosts.length === 0)
    throw new Failure('send_failed', { message: 'The network named no host for media.' })
  const life = Number(node.attrs.ttl) * SECOND || USUAL_LIFE
  const connection = { auth: node.attrs.auth, hosts, until: performance.now() + life }
  known.set(session, connection)
  return connection
}
