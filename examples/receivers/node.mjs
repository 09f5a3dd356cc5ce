/**
 * Webhook receiver for Node, without dependencies. It verifies each request, answers at once, drops repeated events and
 * prints the others. Start it with: WEBHOOK_SECRET=whsec_… node examples/receivers/node.mjs
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

/**
 * Returns true if the header `X-Svc-Signature` is the signature of the raw body, and at most 300 s old. `secret` is the
 * whole `whsec_…` secret of the instance.
 */
export function isGenuine(body, header, secret) {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(t)) <= 300)) return false
  const mine = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
  const isMine = (v1) => v1.length === mine.length && timingSafeEqual(Buffer.from(v1), Buffer.from(mine))
  return parts.some(([name, value = '']) => name === 'v1' && isMine(value))
}

/** Starts the receiver. It calls `onEvent` once for each genuine event, after the request was answered. */
export function startReceiver({ secret, port, onEvent }) {
  // A real receiver keeps the ids for a week, for example in a column with a unique index.
  const seen = new Set()
  const server = createServer(async (request, response) => {
    const pieces = []
    for await (const piece of request) pieces.push(piece)
    const body = Buffer.concat(pieces)
    if (!isGenuine(body, request.headers['x-svc-signature'] ?? '', secret)) return response.writeHead(401).end()
    response.writeHead(200).end()
    const event = JSON.parse(body)
    if (event.test || seen.has(event.event_id)) return
    seen.add(event.event_id)
    onEvent(event)
  })
  return server.listen(port, '127.0.0.1', () => console.log(`listening on http://127.0.0.1:${server.address().port}/`))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { WEBHOOK_SECRET: secret = '', PORT: port = '9000' } = process.env
  startReceiver({ secret, port: Number(port), onEvent: ({ type, event_id }) => console.log(`${type} ${event_id}`) })
}
