import { randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { type BinaryNode, child, children, node, seconds, textOf } from '../../wire/node.ts'
import type { Person } from '../model.ts'
import { findPerson, pnOf } from '../people.ts'
import { type Answer, type Query, QueryError } from './query.ts'

/** Answers queries about an account: its contact link, email address, and accepted terms of service. */

const TERMS_REFRESH = 86_400

const noticeIds = (item: BinaryNode) => children(item, 'notice').map(({ attrs }) => attrs.id ?? '')

function terms({ companion, subject }: Query): BinaryNode[] {
  const accepted = companion.person.notices ?? new Set()
  const listed = noticeIds(subject).map((id) => node('notice', { id, state: accepted.has(id) }))
  return [node('tos', { refresh: TERMS_REFRESH }, listed)]
}

function acceptTerms({ network, companion, subject }: Query): BinaryNode[] {
  const { person } = companion
  person.notices = new Set([...(person.notices ?? []), ...noticeIds(subject)])
  network.changed()
  return [
    node(
      'tos',
      { refresh: TERMS_REFRESH },
      noticeIds(subject).map((id) => node('notice', { id, state: true })),
    ),
  ]
}

const SEEN = 5

function contactLink({ network, companion, subject }: Query): BinaryNode[] {
  const { person } = companion
  if (subject.attrs.type !== 'contact') throw new QueryError(400, 'bad-request')
  if (person.contactCode === undefined || subject.attrs.action === 'revoke') {
    person.contactCode = randomBytes(7).toString('hex').toUpperCase()
    network.changed()
  }
  return [node('qr', { code: person.contactCode, type: 'contact' })]
}

function behindLink({ network, subject }: Query): BinaryNode[] {
  const person = [...network.people.values()].find(
    ({ contactCode }) => contactCode !== undefined && contactCode === subject.attrs.code,
  )
  if (!person) throw new QueryError(404, 'item-not-found')
  return [node('qr', { jid: pnOf(person), notify: person.name, type: 'contact' })]
}

export function verifiedName(person: Person): BinaryNode {
  const details = proto.VerifiedNameCertificate.Details.encode({
    serial: 1,
    issuer: 'smb:wa',
    verifiedName: person.verifiedName ?? person.name,
  }).finish()
  const certificate = proto.VerifiedNameCertificate.encode({ details, signature: Buffer.alloc(64) }).finish()
  return node('verified_name', { jid: pnOf(person), v: 2, verified_level: 'unknown', serial: 1 }, certificate)
}

function getVerifiedName({ network, subject }: Query): BinaryNode[] {
  const person = findPerson(network, subject.attrs.jid ?? '')
  if (!person?.business) throw new QueryError(404, 'item-not-found')
  return [verifiedName(person)]
}

export const ACCOUNT_QUERIES: Record<string, Answer> = {
  'tos get request': terms,
  'tos set request': acceptTerms,
  'tos get get_user_disclosures': () => [],
  'tos get get_disclosure_stage_by_id': ({ item }) =>
    children(item, 'get_disclosure_stage_by_id').map(({ attrs }) => node('notice', { id: attrs.id, stage: 0, t: seconds() })),
  'tos get nothing': () => [],
  'tos set notice': ({ subject }) => [node('notice', { id: subject.attrs.id, stage: subject.attrs.stage ?? SEEN, t: seconds() })],
  'tos set trackable': ({ subject }) => [node('trackable', { id: subject.attrs.id, result: subject.attrs.result })],
  'w:qr set qr': contactLink,
  'w:qr get qr': behindLink,
  'w:biz get verified_name': getVerifiedName,
  'urn:xmpp:whatsapp:account get email': ({ companion }) => {
    const { email } = companion.person
    return [node('email', {}, email === undefined ? [] : [node('email_address', {}, email), node('confirmed')])]
  },
  'urn:xmpp:whatsapp:account set email': ({ network, companion, subject }) => {
    companion.person.email = textOf(child(subject, 'email_address'))
    network.changed()
    return undefined
  },
  'urn:xmpp:whatsapp:push get settings': () => [node('settings')],
  'urn:xmpp:whatsapp:push set config': () => undefined,
  'urn:xmpp:whatsapp:push set clear': () => undefined,
}
