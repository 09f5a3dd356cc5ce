import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { mediaConnectionQuery, mediaHostsIn } from '../../../workers/shard/wire/media-connection.ts'

const host = (hostname: string): BinaryNode => ({ tag: 'host', attrs: hostname ? { hostname } : {} })
const answer = (attrs: Record<string, string>, hosts: BinaryNode[]): BinaryNode => ({
  tag: 'iq',
  attrs: { type: 'result' },
  content: [{ tag: 'media_conn', attrs, content: hosts }],
})

test('hosts are named in their order; an answer without any, or without the key, is none', () => {
  assert.deepEqual(mediaConnectionQuery().attrs, { type: 'set', xmlns: 'w:m', to: '@s.whatsapp.net' })
  const table = [
    [
      answer({ auth: 'A', ttl: '300' }, [host('a.example'), host(''), host('b.example')]),
      { auth: 'A', hosts: ['a.example', 'b.example'], ttlSeconds: 300 },
    ],
    [answer({ auth: 'A' }, [host('a.example')]), { auth: 'A', hosts: ['a.example'], ttlSeconds: null }],
    [answer({ auth: 'A' }, []), null],
    [answer({}, [host('a.example')]), null],
    [{ tag: 'iq', attrs: {} }, null],
  ] as const
  for (const [stanza, expected] of table) assert.deepEqual(mediaHostsIn(stanza), expected)
})
