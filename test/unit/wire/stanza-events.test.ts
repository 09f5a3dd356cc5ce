/** Tests that the event names of a stanza are the same as those of the library, for every listener. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createStanzaEvents } from '../../../workers/shard/wire/stanza-events.ts'

/** Computes the names as Socket/socket.js of the library does. */
function byLibrary({ tag, attrs, content }: BinaryNode): string[] {
  const child = Array.isArray(content) ? content[0]?.tag : ''
  return [
    `TAG:${attrs.id}`,
    ...Object.keys(attrs).flatMap((key) => [
      `CB:${tag},${key}:${attrs[key]},${child}`,
      `CB:${tag},${key}:${attrs[key]}`,
      `CB:${tag},${key}`,
    ]),
    `CB:${tag},,${child}`,
    `CB:${tag}`,
  ]
}

const STANZAS: readonly BinaryNode[] = [
  { tag: 'message', attrs: { id: '1', from: 'a@lid', type: 'text' }, content: [{ tag: 'enc', attrs: {} }] },
  { tag: 'iq', attrs: { id: '2', type: 'set' }, content: [{ tag: 'pair-device', attrs: {} }] },
  { tag: 'ib', attrs: { from: 's.whatsapp.net' }, content: [{ tag: 'offline', attrs: { count: '3' } }] },
  { tag: 'ib', attrs: {}, content: [] },
  { tag: 'ib', attrs: {} },
  { tag: 'stream:error', attrs: { code: '515' }, content: 'text' },
]
const LISTENED = ['open', 'CB:message', 'CB:iq,type:set,pair-device', 'CB:ib,,offline', 'CB:stream:error', 'TAG:2']

for (const listened of [LISTENED, [...LISTENED, 'CB:message,type:text', 'CB:stream:error,code']]) {
  test(`every listener of ${listened.length} names hears what it would hear of the library, in its order`, () => {
    const events = createStanzaEvents()
    for (const name of listened) events.listened(name)
    const heard = (names: readonly string[]) => names.filter((name) => listened.includes(name))
    for (const stanza of STANZAS) assert.deepEqual(heard(events.of(stanza)), heard(byLibrary(stanza)))
  })
}

test('a listener that comes later is heard too', () => {
  const events = createStanzaEvents()
  const [message] = STANZAS
  assert.ok(!events.of(message!).includes('CB:message,type'))
  events.listened('CB:message,type')
  assert.ok(events.of(message!).includes('CB:message,type'))
})
