/**
 * Parses descriptions of channels and lists of posts. A description is the answer to a GraphQL operation; its structure
 * is that of captured answers:
 *   { id, state: { type },
 *     thread_metadata: { name: { text }, description: { text }, creation_time, subscribers_count, verification, invite,
 *       handle, picture, preview, settings: { reaction_codes: { value } } },
 *     viewer_metadata: { role, settings: [{ type, value }] } }
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET } from '@whiskeysockets/baileys'
import { count } from './bounds.ts'
import { type Json, numberOf, object, objects, textOf } from './json.ts'

export interface Newsletter {
  id: string
  name: string
  description: string | null
  /** Epoch seconds. */
  createdAt: number | null
  state: string | null
  subscribers: number | null
  isVerified: boolean
  invite: string | null
  handle: string | null
  picture: unknown
  preview: unknown
  reactionCodes: string | null
  role: string | null
  isMuted: boolean | null
}

const word = (value: unknown) => textOf(value)?.toLowerCase() ?? null

export function newsletterIn(description: unknown): Newsletter | null {
  const { id, state, thread_metadata: metadata, viewer_metadata: viewer } = object(description)
  const jid = textOf(id)
  if (!jid?.endsWith('@newsletter')) return null
  const { name, description: about, creation_time, subscribers_count, verification, settings, ...rest } = object(metadata)
  return {
    id: jid,
    name: textOf(object(name).text) ?? '',
    description: textOf(object(about).text) || null,
    createdAt: numberOf(creation_time),
    state: word(object(state).type),
    subscribers: count(numberOf(subscribers_count)),
    isVerified: verification === 'VERIFIED',
    invite: textOf(rest.invite) || null,
    handle: textOf(rest.handle) || null,
    picture: rest.picture,
    preview: rest.preview,
    reactionCodes: word(object(object(settings).reaction_codes).value),
    role: word(object(viewer).role),
    isMuted: mutedIn(object(viewer)),
  }
}

/**
 * Whether the channel is muted; null if unknown. The setting `MUTE_FOLLOWER_ACTIVITY` is something else: it mutes the
 * notices about new followers.
 */
function mutedIn({ settings }: Json): boolean | null {
  const value = objects(settings).find(({ type }) => type === 'MUTE_ADMIN_ACTIVITY')?.value
  return value === undefined ? null : value === 'ON'
}

/** The network rarely sends a complete URL, so the URL is built from `direct_path`. Null if there is no picture. */
export function pictureUrl(picture: unknown, host: string): string | null {
  const { url, direct_path } = object(picture)
  const path = textOf(direct_path)
  return textOf(url) || (path?.startsWith('/') ? `https://${host}${path}` : null)
}

/** Parses a page of the channel directory: `{ result: [channel], page_info: { hasNextPage, endCursor } }`. */
export function directoryPage(answer: unknown): { newsletters: Newsletter[]; next: string | null } {
  const { result, page_info: info } = object(answer)
  const { hasNextPage, endCursor } = object(info)
  return {
    newsletters: objects(result).flatMap((each) => newsletterIn(each) ?? []),
    next: hasNextPage === true ? textOf(endCursor) || null : null,
  }
}

export const postsQuery = (newsletter: string, limit: number, before?: string): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'newsletter' },
  content: [
    {
      tag: 'messages',
      attrs: { type: 'jid', jid: newsletter, count: String(limit), ...(before === undefined ? {} : { before }) },
    },
  ],
})

export interface Post {
  id: string | null
  serverId: string
  at: number
  isOwn: boolean
  content: Uint8Array | null
}

/**
 * Parses `<messages jid t><message server_id id? t edit? is_sender?><plaintext/><meta
 * original_msg_t?/></message>…</messages>`, in any order.
 */
export function postsIn(answer: BinaryNode): Post[] {
  return getBinaryNodeChildren(getBinaryNodeChild(answer, 'messages'), 'message').flatMap((message) => {
    const { id, server_id: serverId, t, is_sender: isSender } = message.attrs
    if (!serverId || !/^\d+$/.test(serverId)) return []
    const content = getBinaryNodeChild(message, 'plaintext')?.content
    const writtenAt = getBinaryNodeChild(message, 'meta')?.attrs.original_msg_t
    return [
      {
        id: id || null,
        serverId,
        at: Number(writtenAt ?? t) || 0,
        isOwn: isSender === 'true',
        content: content instanceof Uint8Array && content.length > 0 ? content : null,
      },
    ]
  })
}

/**
 * Ids of terms about channels, which the account must accept before it uses a feature (`newsletter_*_tos*` in the
 * server's properties).
 */
export const TERMS = { create: '20601217', follow: '20601216', administer: '20610101' } as const

const terms = (type: 'get' | 'set', notice: string, attrs: Record<string, string> = {}): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type, xmlns: 'tos' },
  content: [{ tag: 'request', attrs, content: [{ tag: 'notice', attrs: { id: notice } }] }],
})

/** Queries whether the account has accepted terms. The answer is `<tos><notice id state/></tos>`. */
export const termsQuery = (notice: string) => terms('get', notice)

export const acceptTermsQuery = (notice: string) => terms('set', notice, { type: 'session_update' })

export const areTermsAccepted = (answer: BinaryNode, notice: string): boolean =>
  getBinaryNodeChildren(getBinaryNodeChild(answer, 'tos'), 'notice').some(
    ({ attrs }) => attrs.id === notice && attrs.state === 'true',
  )
