/**
 * Tests the service's table of stanzas: it has a row for every kind in `server-kinds.json`. These are the kinds that
 * the server may send without a request. The file also tests how other kinds are counted.
 * `scripts/wire-coverage.mjs --write` generates `server-kinds.json` from the specification of the protocol.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Tally } from '../../../src/metrics/tally.ts'
import { describeTable, rowOf } from '../../../workers/shard/connection/socket/stanza-router.ts'
import { createUnknownStanzas } from '../../../workers/shard/connection/socket/unknown-stanzas.ts'
import { LEFT } from '../../../workers/shard/stanzas/stanza-left.ts'
import { type StanzaParts, stanzaTable } from '../../../workers/shard/stanzas/stanza-table.ts'
import { ACCOUNT_CHANGES } from '../../../workers/shard/wire/account-notices.ts'
import { resultOf } from '../../../workers/shard/wire/confirmation.ts'
import { kindOf } from '../../../workers/shard/wire/kind.ts'
import { ROOT } from '../../harness/checkout.ts'
import { missingTests } from '../../harness/named-tests.ts'

const LIST = new URL('test/unit/connection/server-kinds.json', ROOT)
const kinds = JSON.parse(readFileSync(LIST, 'utf8')) as string[]
const table = stanzaTable(new Proxy({}, { get: () => () => assert.fail() }) as StanzaParts)

function stanza(kind: string): BinaryNode {
  const [tag = '', type, child] = kind.split(' ').map((part) => (part === '-' ? undefined : part))
  if (tag === 'iq') return { tag, attrs: { xmlns: type!, type: child ? 'set' : 'get' }, ...inside(child) }
  return { tag, attrs: type ? { [tag === 'failure' ? 'reason' : 'type']: type } : {}, ...inside(child) }
}
const inside = (child: string | undefined) => (child ? { content: [{ tag: child, attrs: {} }] } : {})

test('every kind of the list has a row of its own', () => {
  assert.ok(kinds.length > 100)
  const without = kinds.filter((kind) => {
    const row = rowOf(table, stanza(kind))
    return row === undefined || row.isRest
  })
  assert.deepEqual(without, [])
})

test('a kind that is not in the list meets the row for the rest', () => {
  for (const kind of ['notification new -', 'receipt new -', 'ib - new']) assert.ok(rowOf(table, stanza(kind))?.isRest, kind)
  for (const kind of ['new - -', 'iq new -']) assert.equal(rowOf(table, stanza(kind)), undefined, kind)
})

test('what is left alone is so for a reason, and confirmed where the network wants it', () => {
  for (const { of, why } of LEFT) {
    assert.ok(why.length > 10, of.tag)
    const row = rowOf(table, { tag: of.tag, attrs: (of.attrs ?? {}) as Record<string, string>, ...inside(of.child) })
    assert.deepEqual(row?.of, of, 'no other row is before it')
    const isConfirmed = ['notification', 'receipt', 'status'].includes(of.tag)
    assert.equal(row?.answer.name, isConfirmed ? 'ack' : 'nothing')
  }
  assert.ok(describeTable(table).some((line) => line === 'notification type=pay | at once | count left alone | answer ack'))
})

// An earlier bug: a change of the account's own devices was ignored if a change of the picture stood before it in the
// same notification.
test('a change of the account that is handled is read, whatever change stands before it in the notice', () => {
  const notice = (...children: string[]) => ({
    tag: 'notification',
    attrs: { type: 'account_sync' },
    content: children.map((tag) => ({ tag, attrs: {} })),
  })
  for (const change of ACCOUNT_CHANGES)
    for (const other of ['picture', 'blocklist', 'user', 'username'])
      for (const both of [notice(other, change), notice(change, other)])
        assert.deepEqual(rowOf(table, both)?.of, { tag: 'notification', attrs: { type: 'account_sync' } }, `${other}, ${change}`)
  assert.ok(LEFT.some(({ of }) => rowOf(table, notice('picture', 'status'))?.of === of))
})

test('each kind that is handled has what follows from it, and tests of that, in a row of docs/server-kinds.md', () => {
  const isLeft = (kind: string) => LEFT.some(({ of }) => rowOf(table, stanza(kind))?.of === of)
  const page = readFileSync(new URL('docs/server-kinds.md', ROOT), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  const named = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, kind]) => kind!))
  const fits = (kind: string, name: string) => (name.endsWith('*') ? kind.startsWith(name.slice(0, -1)) : kind === name)
  for (const kind of kinds)
    assert.equal(named.filter((name) => fits(kind, name)).length, isLeft(kind) ? 0 : 1, `${kind} is in one row, or left alone`)
  assert.deepEqual(
    named.filter((name) => !kinds.some((kind) => fits(kind, name))),
    [],
    'every kind that a row names is one',
  )
  assert.deepEqual(rows.flatMap(missingTests), [])
})

const shared = fileURLToPath(new URL('../shared/spec', ROOT))
test('the list is that of the specification', { skip: !existsSync(shared) && 'no ../shared here' }, () => {
  const script = fileURLToPath(new URL('scripts/wire-coverage.mjs', ROOT))
  const said = execFileSync(process.execPath, [script], { encoding: 'utf8' })
  assert.match(
    said,
    new RegExp(`^wire: of ${kinds.length} kinds that the server may start, the router's table names ${kinds.length}$`, 'm'),
  )
})

test('kinds are counted by words of the protocol, and no more than fifty of them', () => {
  const added: string[] = []
  const tally = {
    add: (_: string, { tag, type }: Record<string, string>) => void added.push(`${tag} ${type}`),
  } as unknown as Tally
  const told: unknown[] = []
  const count = createUnknownStanzas({ tally, log: { info: (about: unknown) => void told.push(about) } as never })
  count({ tag: 'notification', attrs: { type: 'new' } })
  count({ tag: 'notification', attrs: { type: 'new' } })
  count({ tag: 'ib', attrs: {}, content: [{ tag: 'newer', attrs: {} }] })
  count({ tag: 'receipt', attrs: { type: '+55 11 98888-0001' } })
  assert.deepEqual(added, ['notification new', 'notification new', 'ib newer', 'receipt odd'])
  assert.equal(told.length, 3, 'each is named once')
  for (let kind = 0; kind < 100; kind++) count({ tag: 'receipt', attrs: { type: `kind_${kind}` } })
  assert.equal(new Set(added).size, 51)
  assert.equal(added.at(-1), 'other other')
  assert.equal(told.length, 50)
  assert.deepEqual(kindOf({ tag: 'iq', attrs: { type: 'get', xmlns: 'urn:xmpp:ping' } }), { tag: 'iq', type: 'urn:xmpp:ping' })
})

test('a ping of the network is answered with a result under its id', () => {
  const ping = { tag: 'iq', attrs: { id: '7', from: 's.whatsapp.net', type: 'get', xmlns: 'urn:xmpp:ping' } }
  assert.equal(rowOf(table, ping)?.answer.name, 'result')
  assert.deepEqual(resultOf(ping), { tag: 'iq', attrs: { id: '7', to: 's.whatsapp.net', type: 'result' } })
})
