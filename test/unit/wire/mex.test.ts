import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { networkCode } from '../../../workers/shard/connection/failures.ts'
import { createMex } from '../../../workers/shard/connection/mex.ts'
import { MEX, type MexName, mexAnswer, mexForms, mexQuery, newsletterName } from '../../../workers/shard/wire/mex.ts'
import { ROOT } from '../../harness/checkout.ts'

const SPEC = new URL('../shared/spec/mex.json', ROOT)
const NOT_KNOWN = {
  data: null,
  errors: [{ extensions: { error_code: 400, is_retryable: false, severity: 'CRITICAL' }, message: 'Bad Request', path: [] }],
}
const answer = (body: unknown): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'result', attrs: {}, content: Buffer.from(JSON.stringify(body)) }],
})
const idOf = ({ content }: BinaryNode) => (content as BinaryNode[])[0]?.attrs.query_id
const variablesOf = ({ content }: BinaryNode) => JSON.parse(String((content as BinaryNode[])[0]?.content)).variables

test('numbers and fields are those of the specification', { skip: !existsSync(SPEC) && 'no ../shared here' }, () => {
  const { operations } = JSON.parse(readFileSync(SPEC, 'utf8')) as {
    operations: Record<string, { docId: string; response: Record<string, unknown> }>
  }
  for (const [name, { id, field }] of Object.entries(MEX)) {
    assert.equal(operations[name]?.docId, id, name)
    assert.deepEqual(Object.keys(operations[name]?.response ?? {}), [field], name)
  }
})

test('a query has the number, and the variables as JSON', () => {
  const variables = { newsletter_id: '1@newsletter' }
  const [form] = mexForms('JoinNewsletter', variables)
  assert.deepEqual(mexQuery(form!), {
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: '24404358912487870' }, content: Buffer.from(JSON.stringify({ variables })) }],
  })
})

test('what of an answer counts', () => {
  const refused = { extensions: { error_code: 404 }, path: ['xwa2_newsletter'] }
  const rows: [unknown, ReturnType<typeof mexAnswer>][] = [
    [{ data: { xwa2_newsletter: { id: '1' } } }, { kind: 'data', value: { id: '1' } }],
    [
      { data: { xwa2_newsletter: { id: '1' } }, errors: [refused] },
      { kind: 'data', value: { id: '1' } },
    ],
    [{ data: { xwa2_newsletter: null } }, { kind: 'data', value: null }],
    [
      { data: { xwa2_newsletter: null }, errors: [refused] },
      { kind: 'refused', error: refused },
    ],
    [NOT_KNOWN, { kind: 'unknown', error: NOT_KNOWN.errors[0]! }],
    [{ data: {} }, { kind: 'empty' }],
    ['[', { kind: 'empty' }],
  ]
  for (const [body, expected] of rows) assert.deepEqual(mexAnswer(answer(body), 'xwa2_newsletter'), expected)
  assert.deepEqual(mexAnswer({ tag: 'iq', attrs: {} }, 'x'), { kind: 'empty' })
  // If a variable of the request is wrong, the `path` of the error in the answer names the queried field.
  const wrong = { ...NOT_KNOWN, errors: [{ ...NOT_KNOWN.errors[0], path: ['xwa2_newsletter'] }] }
  assert.equal(mexAnswer(answer(wrong), 'xwa2_newsletter').kind, 'refused')
})

test('the name of a channel is text, or has it', () => {
  assert.equal(newsletterName({ thread_metadata: { name: { text: 'News' } } }), 'News')
  assert.equal(newsletterName({ thread_metadata: { name: 'News' } }), 'News')
  assert.equal(newsletterName({ name: 'News' }), 'News')
  assert.equal(newsletterName(null), null)
})

function network(known: Record<string, unknown>, ids: Partial<Record<MexName, string>> = {}) {
  const asked: BinaryNode[] = []
  const query = async (node: BinaryNode) => {
    asked.push(node)
    return answer(known[idOf(node) ?? ''] ?? NOT_KNOWN)
  }
  return { asked, mex: createMex({ query } as never, ids) }
}

test('a number that the network does not know is followed by that of the build before, which is asked first from then on', async () => {
  const { mex, asked } = network({ '6563316087068696': { data: { xwa2_newsletter: { id: '1' } } } })
  assert.deepEqual(await mex('FetchNewsletter', {}, 1_000), { id: '1' })
  assert.deepEqual(asked.map(idOf), ['27456920720571478', '35452404184358876', '6563316087068696'])
  await mex('FetchNewsletter', {}, 1_000)
  assert.deepEqual(asked.slice(3).map(idOf), ['6563316087068696'])
})

test('what older builds did by two mutations is one today', async () => {
  const muted = { data: { xwa2_newsletter_mute_v2: { id: '1' } } }
  const { mex, asked } = network({ '29766401636284406': muted })
  await mex(
    'UpdateNewsletterUserSetting',
    { input: { newsletter_id: '1@newsletter', type: 'MUTE_ADMIN_ACTIVITY', value: 'ON' } },
    1_000,
  )
  assert.deepEqual(variablesOf(asked[1]!), { newsletter_id: '1@newsletter' })
})

test('a configured number is asked before the one of the table', async () => {
  const invited = { data: { xwa2_newsletter_admin_invite_create: { id: '1', invite_expiration_time: '9' } } }
  const { mex, asked } = network({ '9387141988078609': invited }, { CreateNewsletterAdminInvite: '7000000000000009' })
  await mex('CreateNewsletterAdminInvite', {}, 1_000)
  assert.deepEqual(asked.map(idOf), ['7000000000000009', '9387141988078609'])
})

test('a refusal has the code of the network, and no other number is asked', async () => {
  const refused = { data: null, errors: [{ extensions: { error_code: 403 }, message: 'Forbidden', path: ['xwa2_newsletter'] }] }
  const { mex, asked } = network({ '27456920720571478': refused })
  await assert.rejects(mex('FetchNewsletter', {}, 1_000), (error) => networkCode(error) === 403)
  assert.equal(asked.length, 1)
})

test("nobody knows any number: the refusal is the network's", async () => {
  const { mex } = network({})
  await assert.rejects(mex('DeleteNewsletter', {}, 1_000), (error) => networkCode(error) === 400)
})
