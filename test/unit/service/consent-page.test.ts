/**
 * Tests the names on the consent page. Other people chose these names, and some were stored when any name was
 * permitted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentPage } from '../../../src/pages/consent.ts'

test('a stored name turns nothing behind it', () => {
  const { html } = consentPage({
    client: 'Assistant',
    redirectUri: 'https://app.example/callback',
    ticket: 'f'.repeat(48),
    instances: [{ id: 'one', name: 'Eve \u2069\u202Eemosnur', phone: '5511999990001' }],
  })
  assert.ok(html.includes('value="one">\u2068Eve \u202Eemosnur\u2069 (5511999990001)</option>'))
})
