/**
 * Tests the rules that say who may do what in a chat. `test/e2e/authority.test.ts` tests the same rules on a simulated
 * network.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Act, RULES, type Standing } from '../../../../workers/shard/translate/inbound/permissions.ts'

const member: Standing = { isAccount: false, target: 'here', isAuthor: false, role: 'member', isLocked: false }
const STANDINGS = {
  author: { ...member, isAuthor: true },
  admin: { ...member, role: 'admin' },
  member,
  'member of a locked group': { ...member, isLocked: true },
  'member of a group nobody knows': { ...member, role: 'unknown', isLocked: null },
  'other side of a chat': { ...member, role: 'side', isLocked: null },
  'admin, of a message of another chat': { ...member, role: 'admin', target: 'elsewhere' },
  'admin, of a message nobody remembers': { ...member, role: 'admin', target: 'unknown' },
  'own phone': { ...member, isAccount: true },
  'own phone, of a message nobody remembers': { ...member, isAccount: true, target: 'unknown' },
} satisfies Record<string, Standing>
type Name = keyof typeof STANDINGS

const ELSEWHERE: Name = 'admin, of a message of another chat'
const all = Object.keys(STANDINGS) as Name[]
const ALLOWED: Record<Act, Name[]> = {
  delete: ['author', 'admin', 'own phone'],
  edit: ['author'],
  speakAbout: all.filter((name) => name !== ELSEWHERE),
  pin: all.filter((name) => name !== ELSEWHERE && name !== 'member of a locked group'),
  setChat: all.filter((name) => name !== 'member of a locked group'),
}

for (const act of Object.keys(ALLOWED) as Act[])
  test(`${act}: who may`, () => {
    assert.deepEqual(
      all.filter((name) => RULES[act](STANDINGS[name])),
      ALLOWED[act],
    )
  })
