import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventReader, readStream } from '../../harness/event-reader.ts'
import { pause, startGround, until } from '../ground.ts'
import { burstIds } from '../traffic.ts'

const PHONE = '5511999990000'
const FRIEND = '5511988880001'
const KILLS = 5
const TEXTS = 30

test('a reader that resumes misses no event over three kills, and gets none under two ids', { timeout: 600_000 }, async (t) => {
  const ground = await startGround()
  const { gateway, sandbox } = ground
  let isOver = false
  try {
    const instance = await gateway.connected(sandbox, PHONE, null)
    await sandbox.createContact(FRIEND, { name: 'Friend' })
    const seen = new Map<string, Set<string>>()
    let repeats = 0
    let gaps = 0
    let last: string | undefined
    let reader: EventReader | undefined

    function take({ events }: EventReader, from: number): number {
      for (const { id, event, data } of events.slice(from)) {
        last = id ?? last
        if (event === 'gap') gaps++
        if (data.type !== 'received') continue
        const known = seen.get(String(data.message_id)) ?? new Set()
        if (known.has(id!)) repeats++
        seen.set(String(data.message_id), known.add(id!))
      }
      return events.length
    }
    /** Reads the stream until the test is over. Connects again after each disconnect, with the id of the last event. */
    async function follow() {
      while (!isOver) {
        reader = await readStream(instance.api_url, last === undefined ? {} : { after: last }).catch(() => undefined)
        const current = reader
        if (!current) {
          await pause(50)
          continue
        }
        await current.ended
        take(current, 0)
      }
    }
    const following = follow()
    await until('a stream', () => reader?.events[0]?.event === 'ready')

    const ids: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      ids.push(...burstIds(await sandbox.burst(FRIEND, PHONE, TEXTS, `before kill ${kill} `, { per_second: 40 })))
      await pause(Math.random() * 800)
      await ground.service.kill()
      ids.push(...burstIds(await sandbox.burst(FRIEND, PHONE, 5, `while it is gone ${kill} `)))
      await ground.start()
    }
    const missing = () => {
      const now = new Set(reader?.events.map(({ data }) => String(data.message_id)))
      return ids.filter((id) => !seen.has(id) && !now.has(id))
    }
    await until('every text', () => missing().length === 0, 120_000)
    isOver = true
    await reader?.cut()
    await following
    t.diagnostic(`texts ${ids.length}, kills ${KILLS}, lost 0, repeated ${repeats}, gaps ${gaps}`)
    assert.equal(gaps, 0)
    assert.deepEqual(
      [...seen.values()].filter(({ size }) => size !== 1),
      [],
      'messages with two event ids',
    )
    assert.deepEqual(
      ids.filter((id) => !seen.has(id)),
      [],
    )
  } finally {
    isOver = true
    await ground.stop()
  }
})
