import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { node, silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { startSimulator } from '../harness/network.ts'
import { jidOf, pair } from './client.ts'

/**
 * Tests GraphQL documents that other clients than the library send, over the library's socket. The answers and refusals
 * must be equal to those captured from the real network.
 */

silenceLibsignal()
const ME = '5511900000001'
const ANA = '5511900000002'

const simulator = await startSimulator()
simulator.control.createPhone({ phone: ME })
simulator.control.createContact(ANA, { name: 'Ana' })
const client = await pair(simulator, ME)

after(async () => {
  assert.deepEqual(simulator.control.stats().unknown_queries, [])
  await client?.close()
  await simulator?.stop()
})

type Json = Record<string, unknown>

async function mex(
  id: string,
  variables: Json,
): Promise<{ data: Json | null; errors?: { extensions: { error_code: number } }[] }> {
  const query = node('query', { query_id: id }, JSON.stringify({ variables }))
  const answer = (await client.socket.query(
    node('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'w:mex' }, [query]),
  )) as BinaryNode
  const [result] = answer.content as BinaryNode[]
  return JSON.parse(Buffer.from(result!.content as Uint8Array).toString())
}

/** Sends a GraphQL document. Returns the only field of the answer, or the error code of a refusal. */
async function ask(id: string, variables: Json): Promise<Json | number | undefined> {
  const { data, errors } = await mex(id, variables)
  return errors?.[0]?.extensions.error_code ?? (Object.values(data ?? {})[0] as Json)
}

const OF = {
  createByWhatsmeow: '6234210096708695',
  subscribedByWhatsmeow: '6388546374527196',
  followByWhatsmeow: '9926858900719341',
  unfollowByWhatsmeow: '6392786840836363',
  muteByWhatsmeow: '6274038279359549',
  unmuteByWhatsmeow: '6068417879924485',
  metadata: '27456920720571478',
  dehydrated: '26944199458535748',
  adminInfo: '26278439461859188',
  followers: '27472091235714801',
  pendingInvites: '9783111038412085',
  capabilities: '9801384413216421',
  insights: '9853618868050977',
  enforcements: '27835373536068060',
  reports: '35936238352686172',
  pollVoters: '9407762219322536',
  reactionSenders: '29575462448733991',
  exposures: '25260800823586918',
  previewable: '9849510985088294',
  recommended: '25806748772361516',
  similar: '26217043484590756',
  categories: '35266481849605779',
  isInternal: '34119218944390847',
  suggestions: '23972005349071865',
  transfer: '29643783178598899',
  appeal: '25946115325088226',
  setUsername: '25757341163897635',
  setUsernameKey: '9749436995157074',
}

const ofAna = (more: Json = {}) => simulator.control.createNewsletter({ owner: ANA, name: 'News', ...more }).id

test('whatsmeow makes, follows, mutes and leaves channels by numbers of its own', async () => {
  const made = (await ask(OF.createByWhatsmeow, { newsletter_input: { name: 'Mine', description: 'Of me' } })) as Json
  assert.deepEqual([made.state, (made.viewer_metadata as Json).role], [{ type: 'ACTIVE' }, 'OWNER'])
  const id = ofAna()
  const own = async () =>
    ((await ask(OF.subscribedByWhatsmeow, {})) as unknown as { id: string; viewer_metadata: Json }[]).find((one) => one.id === id)
  assert.equal(await own(), undefined)
  assert.deepEqual(await ask(OF.followByWhatsmeow, { newsletter_id: id }), { id, state: { type: 'ACTIVE' } })
  const muted = async () =>
    ((await own())!.viewer_metadata.settings as Json[]).find(({ type }) => type === 'MUTE_ADMIN_ACTIVITY')?.value
  await ask(OF.muteByWhatsmeow, { newsletter_id: id })
  assert.equal(await muted(), 'ON')
  await ask(OF.unmuteByWhatsmeow, { newsletter_id: id })
  assert.equal(await muted(), 'OFF')
  await ask(OF.unfollowByWhatsmeow, { newsletter_id: id })
  assert.equal(await own(), undefined)
})

test('a channel is shown to an account that does not follow it as to a subscriber, to nobody as to a guest', async () => {
  const id = ofAna()
  const own = ((await ask(OF.createByWhatsmeow, { newsletter_input: { name: 'Own' } })) as Json).id
  const look = (key: unknown, view_role: string, more: Json = {}) =>
    ask(OF.metadata, { input: { key, type: 'JID', view_role }, ...more })
  const role = async (...asked: Parameters<typeof look>) => {
    const found = await look(...asked)
    return typeof found === 'object' ? (found.viewer_metadata as Json).role : found
  }
  assert.equal(await role(id, 'SUBSCRIBER'), 'GUEST')
  for (const view of ['GUEST', 'ADMIN', 'OWNER']) assert.equal(await role(id, view), 405, view)
  assert.equal(await role(id, 'SUBSCRIBER', { fetch_wamo_sub: true }), 405)
  assert.deepEqual([await role(own, 'SUBSCRIBER'), await role(own, 'OWNER'), await role(own, 'GUEST')], ['OWNER', 'OWNER', 405])
  await ask(OF.followByWhatsmeow, { newsletter_id: id })
  const more = { fetch_wamo_sub: true, fetch_status_metadata: true, fetch_pinned_messages: true }
  const followed = (await look(id, 'SUBSCRIBER', more)) as {
    thread_metadata: Json
    viewer_metadata: Json
    status_metadata: unknown
  }
  assert.equal(followed.status_metadata, null)
  assert.deepEqual([followed.thread_metadata.wamo_sub, followed.thread_metadata.pinned_messages], [{ plan_id: null }, []])
  assert.deepEqual([followed.viewer_metadata.role, followed.viewer_metadata.wamo_sub_status], ['SUBSCRIBER', 'INACTIVE'])
  const nothing = { id: null, state: { type: 'NON_EXISTING' }, thread_metadata: null, viewer_metadata: null }
  assert.deepEqual(await look('120363000000000000@newsletter', 'SUBSCRIBER'), nothing)
  assert.deepEqual(await ask(OF.dehydrated, { input: { key: id, type: 'JID', view_role: 'SUBSCRIBER' } }), {
    id,
    thread_metadata: { settings: { reaction_codes: { value: 'ALL' } }, subscribers_count: '2', verification: 'UNVERIFIED' },
  })
})

test('what is for the administrators of a channel is refused to others with 401', async () => {
  const own = ((await ask(OF.createByWhatsmeow, { newsletter_input: { name: 'Own' } })) as Json).id
  const foreign = ofAna({ subscribers: [ME] })
  const capabilities = (await ask(OF.capabilities, { newsletter_id: own })) as Json
  assert.deepEqual([capabilities.id, (capabilities.capabilities as string[]).includes('INSIGHTS')], [own, true])
  assert.deepEqual(await ask(OF.enforcements, { newsletter_id: own, locale: 'en' }), {
    geosuspensions: [],
    profile_picture_deletions: [],
    suspensions: [],
    violating_messages: [],
  })
  const insights = (await ask(OF.insights, { input: { newsletter_id: own, metrics: [{ id: 1, type: 'FOLLOWS' }] } })) as Json
  assert.deepEqual([insights.newsletter_id, insights.result], [own, [{ id: '1', values: [] }]])
  assert.deepEqual(await ask(OF.pollVoters, { input: { newsletter_id: own, server_id: '100', limit: 50 } }), { votes: [] })
  for (const [document, variables] of [
    [OF.capabilities, { newsletter_id: foreign }],
    [OF.adminInfo, { newsletter_id: foreign }],
    [OF.pendingInvites, { newsletter_id: foreign }],
    [OF.followers, { input: { newsletter_id: foreign, count: 5 } }],
    [OF.enforcements, { newsletter_id: foreign, locale: 'en' }],
    [OF.insights, { input: { newsletter_id: foreign, metrics: [{ id: 1, type: 'FOLLOWS' }] } }],
  ] as const)
    assert.equal(await ask(document, variables), 401)
})

test('the directory recommends channels, also such as are like another', async () => {
  const views = ['RECOMMENDED', 'POPULAR']
  const [one, two] = [1, 2].map((number) => ofAna({ name: `Listed ${number}`, listing: { views, country: 'BR' } }))
  const page = { endCursor: null, hasNextPage: false, hasPreviousPage: false, startCursor: null }
  const recommended = async (input: Json) => {
    const { page_info, result } = (await ask(OF.recommended, { fetch_status_metadata: false, input })) as Json
    assert.deepEqual(page_info, page)
    return (result as { id: string; thread_metadata: Json }[]).map(({ id, thread_metadata }) => [
      id,
      'preview' in thread_metadata,
      'picture' in thread_metadata,
    ])
  }
  assert.deepEqual(await recommended({ country_codes: ['BR'], limit: 5 }), [
    [one, true, false],
    [two, true, false],
  ])
  assert.deepEqual(await recommended({ country_codes: ['US'], limit: 5 }), [])
  assert.equal(await ask(OF.recommended, { fetch_status_metadata: false, input: { country_codes: [''], limit: 0 } }), 400)
  const similar = (await ask(OF.similar, {
    fetch_status_metadata: false,
    input: { newsletter_id: one, country_codes: [], limit: 3 },
  })) as Json
  assert.deepEqual(
    (similar.result as Json[]).map(({ id }) => id),
    [two],
  )
  const wanted = { categories: ['SPORTS'], country_code: 'BR', per_category_limit: 2 }
  assert.deepEqual(await ask(OF.categories, { fetch_status_metadata: false, input: wanted }), {
    result: [{ category: 'SPORTS', category_title: 'SPORTS', newsletters: [] }],
  })
  assert.equal(await ask(OF.categories, { fetch_status_metadata: false, input: { ...wanted, categories: [] } }), 400)
})

test('domains, exposures, reports and the senders of reactions', async () => {
  const id = ofAna()
  assert.deepEqual(await ask(OF.previewable, { url_domains: ['example.com'] }), {
    url_previews: [{ is_previewable: true, url_domain: 'example.com' }],
  })
  assert.deepEqual(
    Object.keys((await ask(OF.exposures, { input: { exposures: [{ newsletter_id: id, capability: 'INSIGHTS' }] } })) as Json),
    ['__typename'],
  )
  assert.deepEqual(await ask(OF.reports, {}), { channels_reports: [] })
  assert.deepEqual(await ask(OF.reactionSenders, { input: { id, server_id: '100' } }), { reactions: [] })
})

test('groups and communities: internal ones, suggestions, another owner, an appeal', async () => {
  const { id: community } = simulator.control.createCommunity({ subject: 'All', owner: ME, participants: [ANA] })
  const { id: group } = simulator.control.createGroup({ subject: 'Team', owner: ME, participants: [ANA] }) as { id: string }
  const { id: foreign } = simulator.control.createGroup({ subject: 'Else', owner: ANA, participants: [] }) as { id: string }
  const shown = { __typename: 'XWA2Group', id: group, properties: { internal: false } }
  assert.deepEqual([await ask(OF.isInternal, { id: group }), await ask(OF.isInternal, { id: foreign })], [shown, 400])
  const suggest = { group_id: community, query_context: 'INTERACTIVE', sub_group_hint_id: group }
  assert.deepEqual(await ask(OF.suggestions, suggest), {
    __typename: 'XWA2Group',
    id: community,
    sub_group_suggestions: { edges: [] },
  })
  assert.equal(await ask(OF.suggestions, { group_id: community, count: 3 }), 400)

  const give = (user_jid: string) => ({
    input: { group_id: community, role_updates: [{ new_role: 'SUPERADMIN_MEMBER', user_jid }] },
  })
  assert.equal(await ask(OF.transfer, { input: { group_id: community, owner_id: jidOf(ANA) } }), 400)
  assert.deepEqual(await ask(OF.transfer, give(jidOf(ANA))), {
    group_id: community,
    lid_migration_state: { addressing_mode: 'LID' },
  })
  assert.equal(await ask(OF.transfer, give(jidOf(ANA))), 403, 'it is not theirs any more')

  const appeal = { input: { group_jid: group.split('@')[0], appeal_reason: 'A mistake', debug_info: '{}' } }
  assert.equal(await ask(OF.appeal, appeal), 400, 'it is not suspended')
  await simulator.control.updateGroup(group, ME, { suspended: true })
  const codes = [await ask(OF.appeal, appeal), await ask(OF.appeal, appeal)].map((answer) => (answer as Json).response_code)
  assert.deepEqual(codes, ['SUCCESS', 'APPEAL_ALREADY_EXISTS'])
})

test('a user name with a key is found by strangers who know the key', async () => {
  assert.equal(await ask(OF.setUsernameKey, { pin: '1234' }), 403, 'as captured, without a name')
  await ask(OF.setUsername, { input: 'my.name', reserved: false, session_id: '', source: 'USER_INPUT' })
  assert.equal(await ask(OF.setUsernameKey, { pin: '12' }), 400)
  assert.deepEqual(await ask(OF.setUsernameKey, { pin: '1234' }), { result: 'SUCCESS' })
  const find = async (attrs: Record<string, string>) => {
    const usync = node('usync', { sid: '1', mode: 'query', last: 'true', index: '0', context: 'interactive' }, [
      node('query', {}, [node('contact')]),
      node('list', {}, [node('user', {}, [node('contact', { username: 'my.name', ...attrs })])]),
    ])
    const answer = (await client.socket.query(
      node('iq', { to: '@s.whatsapp.net', type: 'get', xmlns: 'usync' }, [usync]),
    )) as BinaryNode
    const list = ((answer.content as BinaryNode[])[0]!.content as BinaryNode[]).find(({ tag }) => tag === 'list')
    const [user] = list!.content as BinaryNode[]
    return [user!.attrs.jid, (user!.content as BinaryNode[])[0]!.attrs.type]
  }
  assert.deepEqual(await find({}), [undefined, undefined])
  assert.deepEqual(await find({ pin: '9999' }), [undefined, undefined])
  assert.deepEqual(await find({ pin: '1234' }), [jidOf(ME), 'in'])
})
