/**
 * Tests trust tokens. The account gives its own token to each contact, and stores the token that it gets from the
 * contact. Code that writes a part of a contact's record must keep the other parts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthenticationState, BinaryNode, SignalDataSet } from '@whiskeysockets/baileys'
import { createTrustedTokens } from '../../../../workers/shard/connection/tokens/trusted-tokens.ts'
import { node } from '../../../harness/nodes.ts'

const PN = '5511988880001@s.whatsapp.net'
const LID = '81896604190001@lid'
const NOW = Math.floor(Date.now() / 1_000)
const settle = () => new Promise((resolve) => setImmediate(resolve))

const tokensOf = (text: string, t = NOW) =>
  node('iq', {}, [node('tokens', {}, [node('token', { type: 'trusted_contact', t: String(t) }, Buffer.from(text))])])

function open({ answer = tokensOf('theirs') }: { answer?: BinaryNode | Error } = {}) {
  const rows: Record<string, Record<string, unknown>> = {}
  const given: string[] = []
  const auth = {
    creds: {},
    keys: {
      get: async (_: string, ids: string[]) => Object.fromEntries(ids.flatMap((id) => (rows[id] ? [[id, rows[id]]] : []))),
      async set({ tctoken = {} }: SignalDataSet) {
        await settle()
        for (const [name, token] of Object.entries(tctoken)) {
          if (token === null) delete rows[name]
          else rows[name] = token as unknown as Record<string, unknown>
        }
      },
    },
  } as unknown as AuthenticationState
  const tokens = createTrustedTokens({
    auth,
    serverProps: { privacyTokenOn1to1: true, profilePicPrivacyToken: false, lidTrustedTokenIssueToLid: true },
    identity: {
      lidOf: async (jid) => (jid === PN ? LID : null),
      pnOf: async (jid) => (jid === LID ? PN : null),
      isMe: () => false,
    },
    async query(query) {
      const [list] = query.content as BinaryNode[]
      for (const { attrs } of list!.content as BinaryNode[]) given.push(`${attrs.jid} ${attrs.type}`)
      if (answer instanceof Error) throw answer
      return answer
    },
    fetchLid: async () => null,
    clock: { now: Date.now },
    log: { info() {} },
  })
  return { rows, given, tokens }
}

test('ours is given to the LID, theirs is stored with the time of the gift, and the index finds both', async () => {
  const { rows, given, tokens } = open()
  assert.deepEqual(await tokens.inMessage(PN), { nodes: [], isDue: true })
  tokens.giveSoon(PN)
  tokens.giveSoon(PN)
  while (!rows.__index || rows[LID]?.senderTimestamp === undefined) await settle()
  assert.deepEqual(given, [`${LID} trusted_contact`], 'one at a time')
  assert.equal(String(rows[LID]?.token), 'theirs')
  assert.deepEqual(JSON.parse(String(rows.__index?.token)), [LID])
  const { nodes, isDue } = await tokens.inMessage(PN)
  assert.deepEqual(
    [nodes.map(({ tag, attrs, content }) => [tag, attrs, String(content)]), isDue],
    [[['tctoken', {}, 'theirs']], false],
  )
  assert.deepEqual((await tokens.node(PN))[0]?.attrs, { t: String(NOW) }, 'a query states its time')
})

test('a gift that the network refused is given with the next message', async () => {
  const { tokens, given } = open({ answer: new Error('refused') })
  tokens.giveSoon(PN)
  while (given.length === 0) await settle()
  assert.equal((await tokens.inMessage(PN)).isDue, true)
})

test('a token that arrives while ours is given is kept, and so is the time of the gift', async () => {
  const { rows, tokens } = open({ answer: node('iq', {}, []) })
  tokens.giveSoon(PN)
  await tokens.store(tokensOf('theirs'), PN)
  while (rows[LID]?.senderTimestamp === undefined) await settle()
  assert.equal(String(rows[LID]?.token), 'theirs')
  await tokens.store(tokensOf('newer'), LID)
  assert.equal(String(rows[LID]?.token), 'newer')
  assert.ok(rows[LID]?.senderTimestamp)
})

test('an expired token is not sent, and the next gift removes it', async () => {
  const { rows, tokens } = open({ answer: node('iq', {}, []) })
  rows[LID] = { token: Buffer.from('old'), timestamp: '1000', senderTimestamp: 11 }
  assert.deepEqual(await tokens.inMessage(LID), { nodes: [], isDue: true })
  assert.deepEqual([...(await tokens.all([LID]))], [])
  tokens.giveSoon(LID)
  while (rows[LID]?.senderTimestamp === 11) await settle()
  assert.equal(String(rows[LID]?.token), '')
})

test('who set up their phone anew is given our token again, if they had one', async () => {
  const { rows, given, tokens } = open()
  tokens.giveAgain(PN)
  await settle()
  await settle()
  assert.deepEqual(given, [])
  rows[LID] = { token: Buffer.from('theirs'), timestamp: String(NOW), senderTimestamp: NOW - 60 }
  tokens.giveAgain(PN)
  while (given.length === 0) await settle()
  assert.deepEqual(given, [`${LID} trusted_contact`])
})

// An earlier bug: if a token arrived while the history was being read, an older token from the history replaced it.
test('a token of the history does not replace a newer one that arrives at the same time', async () => {
  const { rows, tokens } = open()
  const older = new Map([[LID, { token: Buffer.from('older'), timestamp: String(NOW - 100), senderTimestamp: 7 }]])
  await Promise.all([tokens.store(tokensOf('newer'), LID), tokens.storeNewer(older)])
  assert.equal(String(rows[LID]?.token), 'newer')
  await tokens.storeNewer(older)
  assert.equal(String(rows[LID]?.token), 'newer')
})

test('the time of a token that an import stored as a number is written as text', async () => {
  const { rows, tokens } = open()
  rows[LID] = { token: Buffer.from('theirs'), timestamp: NOW }
  const [found] = await tokens.node(LID)
  assert.equal(found?.attrs.t, String(NOW))
})

test('what has expired is removed, with its name in the index, while the account is available, and what has not stays', async () => {
  const { rows, tokens } = open()
  const long = 60 * 86_400
  rows.both = { token: Buffer.from('old'), timestamp: String(NOW - long), senderTimestamp: NOW - long }
  rows.theirs = { token: Buffer.from('old'), timestamp: String(NOW - long), senderTimestamp: NOW }
  rows.ours = { token: Buffer.from('valid'), timestamp: String(NOW), senderTimestamp: NOW - long }
  rows.given = { token: Buffer.alloc(0), senderTimestamp: NOW }
  rows.again = { token: Buffer.from('old'), timestamp: '1' }
  const before = { ...rows }
  rows.__index = { token: Buffer.from(JSON.stringify(['both', 'theirs', 'ours', 'given', 'again', 'unknown'])) }
  const listed = () => JSON.parse(String(rows.__index?.token)) as string[]
  tokens.removeExpired()
  while (rows.again) await settle()
  // This new token arrives between the removal of the old one and the change of the index.
  await tokens.list(await tokens.storeNewer(new Map([['again', { token: Buffer.from('new'), timestamp: String(NOW) }]])))
  while (listed().includes('both')) await settle()
  assert.deepEqual(listed(), ['theirs', 'ours', 'given', 'again'])
  assert.deepEqual(rows.both, undefined)
  assert.deepEqual(rows.theirs, { token: Buffer.alloc(0), senderTimestamp: NOW })
  assert.deepEqual([rows.ours, rows.given], [before.ours, before.given])
  assert.equal(String((await tokens.node('again'))[0]?.content), 'new')

  // The removal runs only once a day, so this expired token must remain.
  rows.both = before.both!
  rows.__index = { token: Buffer.from(JSON.stringify(['both'])) }
  tokens.removeExpired()
  for (let turn = 0; turn < 10; turn++) await settle()
  assert.ok(rows.both)
})
