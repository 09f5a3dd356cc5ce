/**
 * One of the two services of `standby.ts`, in a process of its own. It has only the port for callers and the link to
 * the other service. It has no accounts and no store.
 */
import { createLog } from '../../src/log.ts'
import { createTally } from '../../src/metrics/tally.ts'
import { openPeerLink } from '../../src/peer/peer-link.ts'
import { listen } from '../../src/serve.ts'
import { freePort } from '../../test/faults/ground.ts'
import { answerCalls } from './calls.ts'

const HOST = '127.0.0.1'
const ID = 'active'
const PIECE = new Uint8Array(65_536)

const server = await listen({ host: HOST, port: 0 })
const port = await freePort()
const log = createLog({ level: 'warn' }, 'link')
const link = await openPeerLink({ host: HOST, port, secretKey: new Uint8Array(32), server, tally: createTally(), log })

function bytes(count: number): ReadableStream {
  let left = count / PIECE.byteLength
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(PIECE)
      if (--left <= 0) controller.close()
    },
  })
}

/** Answers `GET /N` with N bytes (`GET /0` with `{}`), and any other method with the number of bytes in the body. */
async function answer(request: Request): Promise<Response> {
  const count = Number(new URL(request.url).pathname.slice(1))
  if (request.method === 'GET') return Number.isNaN(count) ? Response.json({}) : new Response(count > 0 ? bytes(count) : '{}')
  let size = 0
  for await (const piece of request.body!) size += piece.byteLength
  return Response.json(size)
}

const calls = {
  places: () => ({ url: server.url, port }),
  serve() {
    link.setOwnId(ID)
    server.serve(() => ({ fetch: answer }))
  },
  follow(active: number) {
    link.setActive({ id: ID, host: HOST, port: active })
  },
}
export type Peer = typeof calls
answerCalls<Peer>(calls)
