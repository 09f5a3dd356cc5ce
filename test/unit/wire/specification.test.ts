/**
 * Compares the stanzas that the service builds with the specification of the protocol, as `.ci/run` does with the
 * traces of all tests. Without one of its required attributes, a stanza must be reported.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { blocklistQuery, blockQuery, unblockQuery } from '../../../workers/shard/wire/blocklist.ts'
import {
  communityAdminQuery,
  createCommunityQuery,
  deactivateQuery,
  linkQuery,
  removeFromAllQuery,
  unlinkQuery,
} from '../../../workers/shard/wire/communities.ts'
import { ackOf } from '../../../workers/shard/wire/confirmation.ts'
import {
  addQuery,
  batchQuery,
  createQuery,
  decisionQuery,
  invitedQuery,
  joinRequestsQuery,
  memberQuery,
  metadataQuery,
  participatingQuery,
} from '../../../workers/shard/wire/groups.ts'
import { ping } from '../../../workers/shard/wire/keep-alive.ts'
import { mexForms, mexQuery } from '../../../workers/shard/wire/mex.ts'
import { nonceQuery, optionsQuery, prologueQuery, refQuery, sealedRequestQuery } from '../../../workers/shard/wire/passkey.ts'
import { chatState } from '../../../workers/shard/wire/presence.ts'
import { ROOT } from '../../harness/checkout.ts'

const checkout = fileURLToPath(ROOT)
const skip = existsSync(join(checkout, '../shared/spec')) ? false : 'there is no specification beside the project'

const GROUP = '120363019502650977@g.us'
const PN = '5511988887777@s.whatsapp.net'
const LID = '123456789012345@lid'
const PERSON = { jid: LID, phoneNumber: PN }
const TO = 'iq@to'
const BYTES = new Uint8Array(32)
const PROLOGUE = { credentialId: BYTES, assertion: BYTES, payload: BYTES }

const BUILT: readonly [operation: string, stanza: BinaryNode, required: readonly string[]][] = [
  ['GetGroupInfo', metadataQuery(GROUP), [TO]],
  ['BatchGetGroupInfo', batchQuery([GROUP]), [TO, 'iq/query/group@jid']],
  ['GetParticipatingGroups', participatingQuery(), [TO]],
  ['GetInviteGroupInfo', invitedQuery('Ab'), [TO, 'iq/invite@code']],
  ['Create', createQuery('Team', 'KEY', [PERSON]), [TO]],
  [
    'Create',
    createCommunityQuery({ subject: 'Team', key: 'KEY', description: { id: 'D', text: 'About us' } }),
    ['iq/create/description@id'],
  ],
  ['AddParticipants', addQuery(GROUP, [PERSON]), [TO]],
  ['RemoveParticipants', memberQuery(GROUP, 'remove', [LID]), [TO, 'iq/remove/participant@jid']],
  ['RemoveParticipants', removeFromAllQuery(GROUP, [LID]), ['iq/remove/participant@jid']],
  ['PromoteDemote', memberQuery(GROUP, 'promote', [LID]), [TO, 'iq/promote/participant@jid']],
  ['PromoteDemote', memberQuery(GROUP, 'demote', [LID]), ['iq/demote/participant@jid']],
  [
    'MembershipRequestsAction',
    decisionQuery(GROUP, 'approve', [LID]),
    [TO, 'iq/membership_requests_action/approve/participant@jid'],
  ],
  ['GetMembershipApprovalRequests', joinRequestsQuery(GROUP), [TO]],
  ['PromoteDemoteAdmin', communityAdminQuery(GROUP, 'promote', [LID]), [TO, 'iq/admin/promote/participant@jid']],
  ['LinkSubGroups', linkQuery(GROUP, [GROUP]), [TO, 'iq/links/link@link_type', 'iq/links/link/group@jid']],
  ['UnlinkGroups', unlinkQuery(GROUP, [GROUP], true), [TO, 'iq/unlink@unlink_type', 'iq/unlink/group@jid']],
  ['DeleteParentGroup', deactivateQuery(GROUP), [TO]],
  ['GetBlockList', blocklistQuery(), [TO]],
  ['UpdateBlockList', blockQuery({ lid: LID, pn: PN }), [TO]],
  ['UpdateBlockList', unblockQuery(LID), [TO]],
  ['GetPasskeyRequestOptions', optionsQuery(), [TO]],
  ['GetRef', refQuery(), [TO]],
  ['SetPasskeyPrologue', prologueQuery({ ...PROLOGUE, proof: BYTES }), [TO]],
  ['SetPasskeyPrologue', prologueQuery({ ...PROLOGUE, proof: null }), []],
  ['SetCompanionNonce', nonceQuery(BYTES), [TO]],
  ['SetEncryptedPairingRequest', sealedRequestQuery(BYTES), [TO]],
  ['Client', ping(), [TO]],
  ['ack', ackOf({ tag: 'notification', attrs: { id: 'A', from: PN, type: 'devices' } }), ['ack@id', 'ack@to']],
  ['ClientNotification', chatState(LID, 'composing'), ['chatstate@to']],
]

function without(node: BinaryNode, path: string, at = node.tag): BinaryNode {
  const kept = Object.entries(node.attrs).filter(([name]) => `${at}@${name}` !== path)
  const { content } = node
  return {
    ...node,
    attrs: Object.fromEntries(kept),
    ...(Array.isArray(content) ? { content: content.map((child) => without(child, path, `${at}/${child.tag}`)) } : {}),
  }
}

type Line = [tag: string, attrs: BinaryNode['attrs'], content?: unknown]

function lineOf({ tag, attrs, content }: BinaryNode): Line {
  if (content === undefined) return [tag, attrs]
  if (Array.isArray(content)) return [tag, attrs, content.map(lineOf)]
  return [tag, attrs, typeof content === 'string' ? content : { b64: Buffer.from(content).toString('base64') }]
}

const sent = (node: BinaryNode, index: number): BinaryNode =>
  node.tag === 'iq' ? { ...node, attrs: { ...node.attrs, id: `1.2-${index}` } } : node

const dir = await mkdtemp(join(tmpdir(), 'svc-built-'))
after(() => rm(dir, { recursive: true, force: true }))

async function check(stanzas: readonly BinaryNode[]): Promise<{ code: number; text: string }> {
  const folder = await mkdtemp(join(dir, 'trace-'))
  const lines = stanzas.map((node, index) => ({
    t: index,
    conn: 'a',
    from: 'client',
    account: '1',
    node: lineOf(sent(node, index)),
  }))
  await writeFile(join(folder, 'built.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return new Promise((resolve) => {
    execFile(process.execPath, [join(checkout, '.ci', 'wire-check.mjs'), folder], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    )
  })
}

test('what the builders make is as specified', { skip }, async () => {
  const { code, text } = await check(BUILT.map(([, stanza]) => stanza))
  assert.equal(code, 0, text)
  assert.match(text, new RegExp(`^wire: ${BUILT.length} stanzas of the gateway, .* 0 violations`, 'm'))
})

test('each required attribute that a builder leaves out is found, by its operation and place', { skip }, async () => {
  const dropped = BUILT.flatMap(([operation, stanza, required]) =>
    required.map((path) => ({ operation, path, stanza, node: without(stanza, path) })),
  )
  for (const { operation, path, node, stanza } of dropped) assert.notDeepEqual(node, stanza, `${operation} has ${path}`)
  const { code, text } = await check(dropped.map(({ node }) => node))
  assert.equal(code, 1)
  const missed = dropped.filter(({ operation, path }) => !text.includes(`VIOLATION client | ${operation} | ${path} | is missing`))
  assert.deepEqual(
    missed.map(({ operation, path }) => `${operation} ${path}`),
    [],
    text,
  )
})

test('a builder that leaves out the kind of a query, or the number of an operation, is found', { skip }, async () => {
  const [form] = mexForms('LeaveNewsletter', { newsletter_id: '1@newsletter' })
  const mutated = [
    ...['iq@type', 'iq@xmlns'].map((path) => without(metadataQuery(GROUP), path)),
    without(mexQuery(form!), 'iq/query@query_id'),
  ]
  for (const node of mutated) {
    const { code, text } = await check([node])
    assert.equal(code, 1, text)
  }
})
