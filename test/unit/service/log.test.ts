import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Boom } from '@hapi/boom'
import { createLog, type Logger } from '../../../src/log.ts'

function lineOf(write: (log: Logger) => void): Record<string, unknown> {
  const lines: string[] = []
  write(createLog({ level: 'debug' }, 'test', { write: (line) => void lines.push(line) }))
  assert.equal(lines.length, 1)
  return JSON.parse(lines[0]!)
}

const LONG = 'x'.repeat(100_000)

test('what strangers choose is cut, and an honest id is whole', () => {
  const id = '3EB0EE97803A91FF2C0ED1'.repeat(5)
  const line = lineOf((log) => log.child({ instance: 'one' }).warn({ stanza: LONG, message_id: id, count: 3 }, 'a message'))
  const { stanza, ...rest } = line
  assert.equal(String(stanza).length, 257)
  assert.deepEqual([rest.message_id, rest.count, rest.msg, rest.part, rest.instance], [id, 3, 'a message', 'test', 'one'])
})

test('for a person a line is a time, a level, the part, a sentence and its fields', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', format: 'pretty' }, 'shard 1', { write: (line) => void lines.push(line) })
  log.warn({ instance: 'one', token: 'hunter2' }, 'a message')
  log.debug({}, 'a detail')
  assert.equal(lines.length, 1)
  assert.match(lines[0]!, /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: shard 1: a message \{"instance":"one","token":"\[hidden\]"\}\n$/)
})

test('a sentence and the words of an error are cut, with its causes', () => {
  const error = new Error(`no such thing: ${LONG}`, { cause: new Error(LONG) })
  const line = lineOf((log) => log.error({ err: error, host: LONG }, LONG))
  assert.ok(JSON.stringify(line).length < 12_000)
  const { type, message, stack } = line.err as Record<string, string>
  assert.equal(type, 'Error')
  assert.match(message!, /^no such thing: x+…$/)
  assert.match(stack!, /^Error: no such thing/)
})

// The library attaches the stanza to its errors. The stanza may contain the text of a channel post, or the ciphertexts
// and addresses of a message.
test('of an error only text and numbers are told, nothing that hangs on it', () => {
  const stanza = { tag: 'message', attrs: { from: '5511988887777@s.whatsapp.net' }, content: Buffer.from('the plaintext') }
  const error = Object.assign(new Boom('Unknown message type', { statusCode: 400, data: stanza }), { code: 'E_KIND', errno: -5 })
  for (const err of [error, new AggregateError([error], 'none of them')]) {
    const line = JSON.stringify(lineOf((log) => log.warn({ err }, 'a message stanza is malformed')))
    assert.match(line, /Unknown message type/)
    assert.match(line, /"code":"E_KIND","errno":-5/)
    for (const secret of ['5511988887777', 'content', 'Buffer', 'attrs'])
      assert.ok(!line.includes(secret), `${secret} in ${line}`)
  }
  const thrown = lineOf((log) => log.warn({ err: stanza }, 'thrown without being an error'))
  assert.equal(thrown.err, '[object]')
})
