import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthenticationState } from '@whiskeysockets/baileys'
import { type LidPair, learnPairs } from '../../../workers/shard/connection/identity.ts'
import type { NetworkSocket } from '../../../workers/shard/network/network-socket.ts'

const pair = (index: number): LidPair => ({
  pn: `${15_550_200_000 + index}@s.whatsapp.net`,
  lid: `${81_896_700_000_000 + index}@lid`,
})
const userOf = (jid: string) => jid.split('@')[0]!

function bench(known: readonly LidPair[] = []) {
  const stored: LidPair[][] = []
  const moved: string[] = []
  const reads: number[] = []
  const turns = new Set<number>()
  let turn = 0
  const names = new Map(known.map(({ pn, lid }) => [userOf(pn), userOf(lid)]))
  const sock = {
    signalRepository: {
      lidMapping: {
        async storeLIDPNMappings(pairs: LidPair[]) {
          turns.add(turn)
          stored.push(pairs)
        },
      },
      migrateSession: async (pn: string, lid: string) => void moved.push(`${pn} ${lid}`),
    },
  } as unknown as NetworkSocket
  const keys = {
    async get(_: string, ids: string[]) {
      reads.push(ids.length)
      return Object.fromEntries(ids.flatMap((id) => (names.has(id) ? [[id, names.get(id)]] : [])))
    },
  } as unknown as AuthenticationState['keys']
  async function learn(pairs: readonly LidPair[]) {
    let isOver = false
    const count = () => {
      turn++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    await learnPairs(sock, keys, pairs)
    isOver = true
  }
  return { learn, stored, moved, reads, turns }
}

test('what is known is read and not stored again', async () => {
  const { learn, stored, moved, reads } = bench([pair(1), pair(2)])
  await learn([pair(1), pair(2), pair(3)])
  assert.deepEqual([stored, moved, reads], [[[pair(3)]], [`${pair(3).pn} ${pair(3).lid}`], [3]])
  await learn([])
  assert.deepEqual(reads, [3])
})

test('many are stored in slices, each in a turn of its own', async () => {
  const all = Array.from({ length: 5_000 }, (_, index) => pair(index))
  const { learn, stored, moved, turns } = bench()
  await learn(all)
  assert.deepEqual(stored.flat(), all)
  assert.equal(moved.length, all.length)
  assert.ok(Math.max(...stored.map(({ length }) => length)) <= 200)
  assert.equal(turns.size, stored.length)
})
