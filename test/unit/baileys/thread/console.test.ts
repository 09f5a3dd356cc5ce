import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redirectConsole } from '../../../../workers/shard/baileys/thread/console.ts'

test('libsignal’s dumps reach nobody, other lines reach the logger without what is in objects', async () => {
  const lines: string[] = []
  const write = (level: string) => (line: string) => {
    lines.push(`${level} ${line}`)
  }
  const restore = redirectConsole({ debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') })
  try {
    const { SessionRecord } = await import('libsignal')
    // The types of libsignal do not declare these methods.
    const record = new SessionRecord() as unknown as { closeSession(session: object): void; openSession(session: object): void }
    record.closeSession({ indexInfo: { closed: -1 }, currentRatchet: { privKey: 'PRIVATE' } })
    record.openSession({ indexInfo: { closed: 1 }, currentRatchet: { privKey: 'PRIVATE' } })
    const { console: redirected } = globalThis
    redirected.error('failed for', { key: 'PRIVATE' }, new TypeError('because'))
    redirected.log('plain', 3, undefined)
  } finally {
    restore()
  }
  assert.deepEqual(lines, ['error failed for [object] TypeError: because', 'info plain 3 undefined'])
})
