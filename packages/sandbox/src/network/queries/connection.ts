import { randomBytes } from 'node:crypto'
import { node } from '../../wire/node.ts'
import { unlinkDevice } from '../login.ts'
import { receiveLinkCode } from '../pairing-code.ts'
import type { Answer } from './query.ts'

const MEDIA_AUTH_TTL = 3_600

const nothing: Answer = () => undefined

export const CONNECTION_QUERIES: Record<string, Answer> = {
  'w:p get ping': nothing,
  'w:p get *': nothing,
  'passive set active': nothing,
  'passive set passive': nothing,
  'urn:xmpp:whatsapp:dirty set clean': nothing,
  'w:stats set add': nothing,
  // Some clients send this query without a type.
  'w:stats  add': nothing,
  // For a query about groups, the answer has no attribute `protocol`.
  'abt get props': ({ subject }) => [
    node(
      'props',
      { protocol: subject.attrs.group === undefined ? 1 : undefined, ab_key: 'sim', hash: 'sim', refresh: 86_400 },
      [],
    ),
  ],
  'w:m set media_conn': ({ network }) => [
    node(
      'media_conn',
      { auth: randomBytes(24).toString('base64url'), ttl: MEDIA_AUTH_TTL, auth_ttl: MEDIA_AUTH_TTL, max_buckets: 12 },
      [node('host', { hostname: network.mediaHost ?? '127.0.0.1:1', maxContentLengthBytes: 2_147_483_647 })],
    ),
  ],
  'md set link_code_companion_reg': (query) => receiveLinkCode(query),
  'md set remove-companion-device': ({ network, companion }) => {
    // The removal of the device ends its connection, so it happens after the answer was sent.
    setImmediate(() => unlinkDevice(network, companion))
    return undefined
  },
}
