/**
 * Tests records of older releases, which had no dialects. An instance whose record has no dialect must use the field
 * names of this API.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newWorkspace } from '../../../src/account/new-workspace.ts'
import { workspaceRecords } from '../../../src/account/records.ts'
import { newWebhookSettings } from '../../../src/account/webhook-settings.ts'
import { instanceRecords } from '../../../src/directory/record.ts'
import { DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import { createSealer } from '../../../src/storage/sealer.ts'

const sealer = createSealer(new Uint8Array(32).fill(7))
const stored = (key: string, version: number, record: object) =>
  sealer.seal(key, Buffer.from(JSON.stringify({ ...record, v: version })))

test('a record of an instance without a dialect has none, and keeps its settings', () => {
  const { dialect: _, ...settings } = { ...DEFAULT_SETTINGS, auto_read_message: true }
  const key = 'instances:1:config'
  const old = {
    id: '1',
    workspace: '2',
    name: 'a',
    token: 't',
    settings,
    webhooks: newWebhookSettings('whsec_x'),
    createdAt: 1,
    updatedAt: 1,
  }
  const record = instanceRecords(sealer).decode(key, stored(key, 1, old))
  assert.deepEqual(record.settings, { ...settings, dialect: null })
})

test('a record of a workspace without a dialect has none', () => {
  const { dialect: _, ...old } = newWorkspace({ name: 'a', now: 0, adminKeyHash: null, instanceSlots: null })
  const key = 'workspaces:1:self'
  const record = workspaceRecords(sealer).decode(key, stored(key, 2, old))
  assert.deepEqual(record, { ...old, dialect: null })
})
