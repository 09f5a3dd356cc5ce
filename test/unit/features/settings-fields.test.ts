import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as v from 'valibot'
import { newWebhookSettings, WebhookSettingsRecord } from '../../../src/account/webhook-settings.ts'
import {
  DEFAULT_SETTINGS,
  SETTING_DIALECTS,
  SETTING_FLAGS,
  SETTING_NUMBERS,
  SETTING_SAFETY,
  SETTING_TEXTS,
  WEBHOOK_FLAGS,
  WEBHOOK_URLS,
} from '../../../src/domain/instance.ts'
import { settingsFields, webhooksFields } from '../../../src/features/changes.ts'
import { Settings, Webhooks } from '../../../src/features/objects.ts'
import { ROOT } from '../../harness/checkout.ts'

const SRC = new URL('src/', ROOT)
const sorted = (names: Iterable<string>) => [...names].sort()
const settings = sorted([...SETTING_FLAGS, ...SETTING_NUMBERS, ...SETTING_TEXTS, ...SETTING_DIALECTS, ...SETTING_SAFETY])
const own = sorted([...WEBHOOK_URLS, ...WEBHOOK_FLAGS])

test('a setting is shown, has a default and may be changed', () => {
  assert.deepEqual(sorted(Object.keys(Settings.shape)), settings)
  assert.deepEqual(sorted(Object.keys(DEFAULT_SETTINGS)), settings)
  assert.deepEqual(sorted(Object.keys(settingsFields)), settings)
})

test('a field of the webhooks object is stored, shown and may be changed; the secret is rotated instead', () => {
  const fresh = newWebhookSettings('whsec_x')
  assert.deepEqual(sorted(Object.keys(v.parse(WebhookSettingsRecord, fresh))), sorted([...own, 'secret']))
  assert.deepEqual(sorted(Object.keys(Webhooks.parse(fresh))), sorted([...own, 'secret']))
  assert.deepEqual(
    own.filter((name) => !(name in webhooksFields)),
    [],
  )
})

test('the webhooks object is listed in one file only', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.d.ts') && !path.startsWith('dashboard/texts/'),
  )
  // Any other file with this field would be a second list of the fields. Forms of the dashboard are not searched,
  // because they label single fields.
  const listing = files.filter((path) => readFileSync(new URL(path, SRC), 'utf8').includes('ignore_document'))
  assert.deepEqual(listing, ['domain/instance.ts'])
})
