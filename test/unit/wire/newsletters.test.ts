import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acceptTermsQuery,
  areTermsAccepted,
  directoryPage,
  newsletterIn,
  pictureUrl,
  postsIn,
  postsQuery,
  termsQuery,
} from '../../../workers/shard/wire/newsletters.ts'

/** Metadata of a channel, as captured from the network. */
const described = {
  id: '120363166555745933@newsletter',
  state: { type: 'ACTIVE' },
  thread_metadata: {
    creation_time: '1758801904',
    description: { id: '1', text: 'What changed', update_time: '0' },
    handle: null,
    invite: '0029Va5Xk71aABCDEFGHIJ',
    name: { id: '1', text: 'Product news', update_time: '0' },
    picture: null,
    preview: { direct_path: '/v/t61/3_s.jpg', id: '0', type: 'PREVIEW' },
    settings: { reaction_codes: { value: 'ALL' } },
    subscribers_count: '123',
    verification: 'VERIFIED',
  },
  viewer_metadata: {
    role: 'OWNER',
    settings: [
      { type: 'MUTE_FOLLOWER_ACTIVITY', value: 'ON' },
      { type: 'MUTE_ADMIN_ACTIVITY', value: 'OFF' },
    ],
  },
}

test('a description is read field by field; muted is who is not told of posts', () => {
  assert.deepEqual(newsletterIn(described), {
    id: '120363166555745933@newsletter',
    name: 'Product news',
    description: 'What changed',
    createdAt: 1_758_801_904,
    state: 'active',
    subscribers: 123,
    isVerified: true,
    invite: '0029Va5Xk71aABCDEFGHIJ',
    handle: null,
    picture: null,
    preview: described.thread_metadata.preview,
    reactionCodes: 'all',
    role: 'owner',
    isMuted: false,
  })
})

test('what is not told is null, and what is no channel is none', () => {
  const bare = newsletterIn({ id: '1@newsletter', viewer_metadata: null, thread_metadata: { subscribers_count: '' } })
  assert.deepEqual(
    [bare?.name, bare?.description, bare?.createdAt, bare?.state, bare?.subscribers, bare?.isVerified, bare?.role, bare?.isMuted],
    ['', null, null, null, null, false, null, null],
  )
  for (const odd of [null, undefined, [], 'text', {}, { id: '1@g.us' }, { id: 5 }]) assert.equal(newsletterIn(odd), null)
})

test('a picture is its path on the host of pictures, its own address, or none', () => {
  const rows: [unknown, string | null][] = [
    [{ direct_path: '/v/1.jpg' }, 'https://host/v/1.jpg'],
    [{ direct_path: '', url: 'https://elsewhere/1.jpg' }, 'https://elsewhere/1.jpg'],
    [{ direct_path: '' }, null],
    [{ direct_path: '//evil', url: '' }, 'https://host//evil'],
    [{ direct_path: 'v/1.jpg' }, null],
    [null, null],
  ]
  for (const [picture, url] of rows) assert.equal(pictureUrl(picture, 'host'), url)
})

test('the directory goes on only where it says so', () => {
  const page = (info: unknown) => directoryPage({ result: [described, { id: 'x' }], page_info: info })
  assert.equal(page({ hasNextPage: true, endCursor: 'abc' }).newsletters.length, 1)
  assert.equal(page({ hasNextPage: true, endCursor: 'abc' }).next, 'abc')
  for (const info of [{ hasNextPage: false, endCursor: 'abc' }, { hasNextPage: true, endCursor: null }, null])
    assert.equal(page(info).next, null)
  assert.deepEqual(directoryPage(null), { newsletters: [], next: null })
})

test('posts: without an id, deleted, edited, without a number', () => {
  const message = (
    attrs: Record<string, string>,
    ...content: { tag: string; attrs: Record<string, string>; content?: Uint8Array }[]
  ) => ({
    tag: 'message',
    attrs,
    content,
  })
  const plaintext = { tag: 'plaintext', attrs: {}, content: Buffer.from('x') }
  const answer = {
    tag: 'iq',
    attrs: {},
    content: [
      {
        tag: 'messages',
        attrs: {},
        content: [
          message({ server_id: '101', id: 'A', t: '10', is_sender: 'true' }, plaintext),
          message({ server_id: '102', t: '11' }, plaintext),
          message({ server_id: '103', id: 'C', t: '12', edit: '8' }),
          message({ server_id: '104', id: 'D', t: '13', edit: '3' }, plaintext, { tag: 'meta', attrs: { original_msg_t: '9' } }),
          message({ id: 'E', t: '14' }, plaintext),
          message({ server_id: '-1', id: 'F', t: '15' }, plaintext),
        ],
      },
    ],
  }
  assert.deepEqual(
    postsIn(answer).map(({ id, serverId, at, isOwn, content }) => [id, serverId, at, isOwn, content !== null]),
    [
      ['A', '101', 10, true, true],
      [null, '102', 11, false, true],
      ['C', '103', 12, false, false],
      ['D', '104', 9, false, true],
    ],
  )
  assert.deepEqual(postsIn({ tag: 'iq', attrs: {} }), [])
})

test('what is asked', () => {
  const iq = (type: string, xmlns: string, content: unknown) => ({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type, xmlns },
    content: [content],
  })
  const messages = { type: 'jid', jid: '1@newsletter', count: '50' }
  assert.deepEqual(postsQuery('1@newsletter', 50), iq('get', 'newsletter', { tag: 'messages', attrs: messages }))
  assert.deepEqual(
    postsQuery('1@newsletter', 50, '241'),
    iq('get', 'newsletter', { tag: 'messages', attrs: { ...messages, before: '241' } }),
  )
  const content = [{ tag: 'notice', attrs: { id: '20601216' } }]
  assert.deepEqual(termsQuery('20601216'), iq('get', 'tos', { tag: 'request', attrs: {}, content }))
  assert.deepEqual(acceptTermsQuery('20601216'), iq('set', 'tos', { tag: 'request', attrs: { type: 'session_update' }, content }))
  const tos = (state: string) => ({
    tag: 'iq',
    attrs: {},
    content: [{ tag: 'tos', attrs: {}, content: [{ tag: 'notice', attrs: { id: '1', state } }] }],
  })
  assert.deepEqual([areTermsAccepted(tos('true'), '1'), areTermsAccepted(tos('false'), '1')], [true, false])
  assert.equal(areTermsAccepted(tos('true'), '2'), false)
})
