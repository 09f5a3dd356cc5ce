import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { peerKeyOf } from '../../../src/peer/peer-key.ts'
import { createReachCaller } from '../../../src/peer/reach-caller.ts'
import { freePort } from '../../faults/ground.ts'
import { closeSides, HOST, openSide } from './side.ts'

after(closeSides)

const soon = () => AbortSignal.timeout(3_000)

test('a member answers whether it reaches the store, only to a service with the same key, and its address says whether it has ended', async () => {
  const [asking, asked] = [await openSide(), await openSide()]
  const member = { id: 'asked', name: 'node-b', host: HOST, port: asked.port }
  const answers: unknown[] = [await asking.link.askMember(member, soon())]
  let reaches = true
  asked.link.setMember({ id: 'asked', reachesStore: () => reaches })
  answers.push(await asking.link.askMember(member, soon()))
  reaches = false
  answers.push(await asking.link.askMember(member, soon()))
  // Four further requests: to a former run of this member, to a port at which nothing listens, to this member by a
  // caller with another key, and one that is already aborted.
  answers.push(await asking.link.askMember({ ...member, id: 'former' }, soon()))
  answers.push(await asking.link.askMember({ ...member, port: await freePort() }, soon()))
  const other = createReachCaller(peerKeyOf(new Uint8Array(32).fill(2)))
  answers.push(await other.ask(member, soon()))
  answers.push(await asking.link.askMember(member, AbortSignal.abort()))
  other.close()
  assert.deepEqual(answers, ['other', 'reaches', 'away', 'other', 'refused', undefined, undefined])
})

test('a member is asked to leave, and answers whether it does', async () => {
  const [asking, asked] = [await openSide(), await openSide()]
  const member = { id: 'asked', name: 'node-b', host: HOST, port: asked.port }
  let leaves = 0
  asked.link.setMember({ id: 'asked', reachesStore: () => true })
  const answers: unknown[] = [await asking.link.askToLeave(member, soon())]
  asked.link.setLeave(async () => {
    leaves++
    return 'leaves'
  })
  answers.push(await asking.link.askToLeave({ ...member, id: 'former' }, soon()))
  assert.equal(leaves, 0)
  answers.push(await asking.link.askToLeave(member, soon()))
  assert.deepEqual([answers, leaves], [['stays', undefined, 'leaves'], 1])
})
