import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LidPair } from '../../../workers/shard/connection/identity.ts'
import { takeMembers } from '../../../workers/shard/groups/members.ts'
import { type Group, groupIn } from '../../../workers/shard/wire/groups.ts'

const pn = (index: number) => `55119888${10_000 + index}@s.whatsapp.net`
const lid = (index: number) => `99${10_000 + index}@lid`

function group(id: string, people: readonly Record<string, string>[]): Group {
  const content = people.map((attrs) => ({ tag: 'participant', attrs }))
  return groupIn({ tag: 'iq', attrs: {}, content: [{ tag: 'group', attrs: { id, subject: 'Team', size: '2' }, content }] })
}

function bench() {
  const pairs: LidPair[] = []
  const met: (readonly string[])[] = []
  const reads: number[] = []
  const ending = new AbortController()
  const take = takeMembers({
    directory: { ready: async () => {}, met: async (people) => void met.push(...people) },
    async learnPairs(some) {
      reads.push(some.length)
      pairs.push(...some)
    },
    ended: ending.signal,
  })
  return { pairs, met, reads, ending, take }
}

test('everybody is taken once, with both names where the network tells them', async () => {
  const { take, pairs, met, reads } = bench()
  const both = { jid: lid(1), phone_number: pn(1) }
  await take([group('1', [both, { jid: pn(2) }]), group('2', [both, { jid: lid(3) }])])
  assert.deepEqual(pairs, [{ pn: pn(1), lid: lid(1) }])
  assert.deepEqual(
    met.map((names) => [...names].sort()),
    [[pn(1), lid(1)].sort(), [pn(2)], [lid(3)]],
  )
  assert.deepEqual(reads, [1])
})

test('many are taken in slices, and none once the session has ended', async () => {
  const { take, reads, met, ending } = bench()
  const groups = Array.from({ length: 20 }, (_, at) =>
    group(
      String(at),
      Array.from({ length: 100 }, (_, index) => ({ jid: lid(at * 100 + index), phone_number: pn(at * 100 + index) })),
    ),
  )
  await take(groups)
  const slices = reads.length
  assert.equal(met.length, 2_000)
  assert.ok(slices >= 10 && Math.max(...reads) <= 200, `${slices} slices`)
  ending.abort()
  await take([group('21', [{ jid: lid(9_000), phone_number: pn(9_000) }])])
  assert.deepEqual([reads.length, met.length], [slices, 2_000])
})
