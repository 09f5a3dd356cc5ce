import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from '../../harness/checkout.ts'

const PROTO = '@whiskeysockets/baileys/WAProto/index.js'

function described(value: object, path: string[] = []): [string, string[], string[]][] {
  const names = Object.keys(value)
  const begins = Object.entries((value as { prototype?: object }).prototype ?? {}).map(([name, at]) =>
    typeof at === 'function' ? `${name}()` : `${name} ${JSON.stringify(at)}`,
  )
  const own: [string, string[], string[]] = [
    path.join('.'),
    names.map((name) => {
      const at = (value as Record<string, unknown>)[name]
      return `${name} ${typeof at === 'function' ? at.length : typeof at === 'object' ? '' : String(at)}`
    }),
    begins,
  ]
  const inner = names.flatMap((name) => {
    const at = (value as Record<string, unknown>)[name]
    const isMore = at !== null && (typeof at === 'object' || (typeof at === 'function' && /^[A-Z]/.test(name)))
    return isMore ? described(at, [...path, name]) : []
  })
  return [own, ...inner]
}

test('the messages of the library beside the service are those of the library', async () => {
  const library = await import(pathToFileURL(join(fileURLToPath(ROOT), 'node_modules', PROTO)).href)
  const expected = described(library.proto)
  // This import finds the smaller copy beside the service, and not the library of the checkout.
  const ours = await import(PROTO)
  assert.notEqual(ours.proto, library.proto, 'the service runs with another one')
  const found = described(ours.proto)
  assert.ok(found.length > 600, String(found.length))
  assert.deepEqual(found, expected)
})

test('a message is made when somebody asks for it, and stays the same', async () => {
  const { proto } = await import(PROTO)
  const { Message } = proto
  assert.equal(proto.Message, Message)
  const message = Message.fromObject({ extendedTextMessage: { text: 'to be', contextInfo: { expiration: 60 } } })
  const again = Message.decode(Message.encode(message).finish())
  assert.deepEqual(again.toJSON(), { extendedTextMessage: { text: 'to be', contextInfo: { expiration: 60 } } })
  assert.ok(again.extendedTextMessage instanceof Message.ExtendedTextMessage)
})
