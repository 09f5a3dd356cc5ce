import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { createMessageAnswer } from '../../../workers/shard/receive/message-answer.ts'

const ANA = '5511988880001@s.whatsapp.net'
const GROUP = '120363001@g.us'
const message = (id: string, from = ANA, more: Record<string, string> = {}): BinaryNode => ({
  tag: 'message',
  attrs: { id, from, t: '1790000000', ...more },
})

function bench() {
  const sent: string[] = []
  const idsIn = ({ attrs, content }: BinaryNode) => [
    attrs.id,
    ...((content as BinaryNode[] | undefined) ?? []).flatMap((list) =>
      (list.content as BinaryNode[]).map((item) => item.attrs.id),
    ),
  ]
  const sock = {
    authState: { creds: {} },
    ws: { isOpen: true },
    sendNode: async (node: BinaryNode) =>
      void sent.push(`${node.tag} ${node.attrs.to} ${node.attrs.participant ?? ''} ${node.attrs.type ?? ''}: ${idsIn(node)}`),
  }
  const steps: string[] = []
  const answer = createMessageAnswer({
    sock: sock as never,
    receiver: () => ({ isOwn: () => false, isAvailable: true }),
    askAgain: {} as never,
    inbox: { problemOf: () => undefined },
    log: { info: () => assert.fail() },
    steps: (step) => void steps.push(step),
  })
  return { sent, sock, steps, answer }
}

test('messages of one turn share a receipt, by chat and author; one that comes later has its own', async () => {
  const { sent, steps, answer } = bench()
  const read = (...nodes: BinaryNode[]) => Promise.all(nodes.map((node) => answer(node, 'read')))
  const byBen = { participant: '5511988880002@s.whatsapp.net' }
  await read(
    message('A'),
    message('B', GROUP, byBen),
    message('C'),
    message('D', GROUP, byBen),
    message('E', GROUP, { participant: ANA }),
  )
  await read(message('F'))
  assert.deepEqual(sent, [
    `receipt ${ANA}  : A,C`,
    `receipt ${GROUP} ${byBen.participant} : B,D`,
    `receipt ${GROUP} ${ANA} : E`,
    `receipt ${ANA}  : F`,
  ])
  assert.equal(steps.length, 6)
})

test('a receipt has an end, and a connection that ended gets none', async () => {
  const { sent, sock, answer } = bench()
  await Promise.all(Array.from({ length: 150 }, (_, index) => answer(message(`M${index}`), 'read')))
  assert.deepEqual(
    sent.map((line) => line.split(',').length),
    [100, 50],
  )
  const late = answer(message('late'), 'read')
  sock.ws.isOpen = false
  await late
  assert.equal(sent.length, 2)
})
