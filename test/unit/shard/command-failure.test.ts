import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InstanceConfig } from '../../../src/domain/instance.ts'
import type { Log } from '../../../src/domain/log.ts'
import { StorageFailure } from '../../../src/domain/storage-failure.ts'
import type { StartHow } from '../../../src/engine/engine.ts'
import { commandFailure } from '../../../workers/shard/command-failure.ts'

function failureOf(how: StartHow) {
  const lines: string[] = []
  const note = (_fields: object, message: string) => void lines.push(message)
  const log: Log = { info: note, warn: note, error: note }
  const command = { generation: 1, type: 'start' as const, config: { id: 'i' } as InstanceConfig, how, key: new Uint8Array() }
  const { code } = commandFailure(new StorageFailure('The disk is full, so nothing was stored.'), command, log)
  return { code, lines }
}

/**
 * Error code of a failed start, by the way it was started. A start of an existing instance must not end with
 * `engine_unavailable`, because the engine would not retry it then.
 */
const CODES: Record<StartHow, string> = { create: 'engine_unavailable', boot: 'internal', takeover: 'internal' }

for (const [how, code] of Object.entries(CODES))
  test(`a start (${how}) that fails because of the disk has the code ${code}, and the log names the disk`, () => {
    assert.deepEqual(failureOf(how as StartHow), { code, lines: ['an operation on an instance failed because of the disk'] })
  })
