/**
 * Sends kinds of notifications and receipts that the network may send without a request. Each must be acknowledged,
 * even if it has no effect, because the network sends unacknowledged ones again at every login.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { ROOT } from '../harness/checkout.ts'
import { addressesOf } from '../harness/places.ts'
import { type StanzaJson, specimens } from '../harness/specimens.ts'
import { type Stage, startStage } from '../harness/stage.ts'

const ME = '5511999990180'
const ANA = '5511988880181'

const kinds = JSON.parse(readFileSync(new URL('test/unit/connection/server-kinds.json', ROOT), 'utf8')) as string[]
/**
 * Kinds that are not tested here: they are sent to an account that is not linked yet, or are acknowledged only when
 * they have been processed.
 */
const OTHERWISE =
  /^notification (link_code_companion_reg|companion_reg_refresh|passkey_prologue_request|crsc_continuation|server_sync) /
/** Kinds that must be acknowledged. All receipts count as one kind. */
const confirmed = kinds.filter((kind) => /^(notification|receipt) \S/.test(kind) && !OTHERWISE.test(kind))

/**
 * `bare` gets stanzas with only the required parts, which are not all valid, so no trace of them is written. `whole`
 * gets complete stanzas.
 */
let bare: Stage
let whole: Stage
before(async () => {
  bare = await startStage(ME, {}, { untraced: true })
  whole = await startStage(ME)
  for (const { world } of [bare, whole]) await world.sandbox.createContact(ANA, { name: 'Ana' })
})
after(async () => {
  await whole.world.stop()
  await bare.world.stop()
})

function authorOf(type: string, ana: string): string {
  if (type === 'w:gp2') return '120363000000000180@g.us'
  if (type === 'newsletter') return '120363000000000181@newsletter'
  return ['devices', 'encrypt', 'picture', 'privacy_token', 'status', 'contacts'].includes(type) ? ana : 's.whatsapp.net'
}

interface Expected {
  complete: boolean
  items: { node: [string, Record<string, string>] }[]
}

/**
 * Sends the stanzas, each with an id of its own. Resolves with the kinds for which the acknowledgement is missing or
 * wrong.
 */
async function unconfirmed({ world: { sandbox } }: Stage, stanzas: ReadonlyMap<string, StanzaJson>): Promise<string[]> {
  const match = { from: 'client', account: ME, tag: 'ack' }
  const pushed = [...stanzas].map(([kind, [tag, attrs, ...content]], index): [string, StanzaJson] => [
    kind,
    [tag, { ...attrs, id: `KIND${index}` }, ...content] as StanzaJson,
  ])
  const expected = await Promise.all(
    pushed.map(([, [, { id }]]) =>
      sandbox.post<{ id: string }>('/expect', { match: { ...match, attrs: { id } }, count: 1, wait_ms: 0 }),
    ),
  )
  for (const [, node] of pushed) await sandbox.post('/stanzas', { phone: ME, node, keep: true })
  const missing: string[] = []
  for (const [index, { id }] of expected.entries()) {
    const { complete, items } = await sandbox.get<Expected>(`/expect/${id}?wait_ms=15000`)
    const [kind, [tag, { type }]] = pushed[index]!
    const [, attrs] = items[0]?.node ?? ['', {} as Record<string, string>]
    if (!complete || attrs.class !== tag || (type !== undefined && attrs.type !== type)) missing.push(kind)
  }
  return missing
}

async function goesOn({ world: { sandbox } }: Stage) {
  while ((await sandbox.pending()) > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const { id } = await sandbox.post<{ id: string }>('/expect', {
    match: { from: 'client', account: ME, tag: 'iq', type: 'result', attrs: { id: 'PING2' } },
    wait_ms: 0,
  })
  const ping = ['iq', { id: 'PING2', from: 's.whatsapp.net', type: 'get', xmlns: 'urn:xmpp:ping', t: '1795360566' }]
  await sandbox.post('/stanzas', { phone: ME, node: ping })
  assert.equal((await sandbox.get<Expected>(`/expect/${id}?wait_ms=15000`)).complete, true)
}

test('every kind is confirmed in its barest form, once, and the connection goes on', async () => {
  assert.ok(confirmed.length > 70)
  const { [ANA]: ana } = await addressesOf(bare.world.sandbox)
  const stanzas = confirmed.map((kind): [string, StanzaJson] => {
    const [tag = '', type = '', child] = kind.split(' ').map((part) => (part === '-' ? undefined : part))
    const from = tag === 'receipt' ? ana!.pn : authorOf(type, ana!.pn)
    const attrs: Record<string, string> = { from, t: '1795360566', ...(type ? { type } : {}) }
    return [kind, [tag, attrs, child ? [[child, {}]] : []]]
  })
  assert.deepEqual(await unconfirmed(bare, new Map(stanzas)), [])
  await goesOn(bare)
})

/** Kinds that the service does not acknowledge. It processes some of them. */
const taken = kinds.filter((kind) => /^(ib|presence|chatstate|appdata|error) /.test(kind))
/** Kinds for which the description of the protocol has no child nodes. */
const WITHOUT_A_TREE = ['notification contacts invite']

test('so is every kind as the specification has it; those that need no answer do no harm', async (t) => {
  const { [ANA]: ana } = await addressesOf(whole.world.sandbox)
  const made = await specimens([...confirmed, ...taken], ana!)
  if (made.size === 0) return t.skip('there is no specification beside the project')
  assert.deepEqual(
    [...confirmed, ...taken].filter((kind) => !made.has(kind)),
    WITHOUT_A_TREE,
  )
  const { sandbox } = whole.world
  for (const kind of taken) await sandbox.post('/stanzas', { phone: ME, node: made.get(kind)! })
  assert.deepEqual(await unconfirmed(whole, new Map([...made].filter(([kind]) => !taken.includes(kind)))), [])
  await goesOn(whole)
})

const ASKED: readonly [kind: string, node: StanzaJson, query: Record<string, string>][] = [
  [
    'notification encrypt count',
    ['notification', { type: 'encrypt', from: 's.whatsapp.net', id: 'ASK0', t: '1795360566' }, [['count', { value: '1' }]]],
    { xmlns: 'encrypt', type: 'set' },
  ],
  [
    'notification account_sync privacy',
    ['notification', { type: 'account_sync', from: `${ME}@s.whatsapp.net`, id: 'ASK1', t: '1795360566' }, [['privacy', {}]]],
    { xmlns: 'privacy', type: 'get' },
  ],
  [
    'notification server_sync collection',
    [
      'notification',
      { type: 'server_sync', from: 's.whatsapp.net', id: 'ASK2', t: '1795360566' },
      [['collection', { name: 'regular_high', version: '900' }]],
    ],
    { xmlns: 'w:sync:app:state', type: 'set' },
  ],
  [
    'ib dirty',
    ['ib', { from: 's.whatsapp.net' }, [['dirty', { type: 'account_sync', timestamp: '1795360566' }]]],
    { xmlns: 'urn:xmpp:whatsapp:dirty', type: 'set' },
  ],
]

for (const [kind, node, attrs] of ASKED)
  test(`what ${kind} announces is asked for, or done`, async () => {
    const { sandbox } = bare.world
    // The first notification only sets the time of the last synchronization, and only the second notification causes a
    // query.
    if (kind === 'ib dirty') await sandbox.post('/stanzas', { phone: ME, node })
    const match = { from: 'client', account: ME, tag: 'iq', attrs }
    const { id } = await sandbox.post<{ id: string }>('/expect', { match, count: 1, wait_ms: 0 })
    await sandbox.post('/stanzas', { phone: ME, node })
    assert.equal((await sandbox.get<Expected>(`/expect/${id}?wait_ms=15000`)).complete, true)
  })
