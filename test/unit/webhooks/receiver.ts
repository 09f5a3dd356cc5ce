import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface Received {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: Buffer
  json: Record<string, unknown>
}

export type Answer = number | ((response: ServerResponse, request: Received) => void)

export async function receiver(t: TestContext, answer: (request: Received, index: number) => Answer = () => 200) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const json = body.length > 0 ? JSON.parse(body.toString()) : {}
    const item = { path: request.url!, method: request.method!, headers: request.headers, body, json }
    received.push(item)
    const how = answer(item, received.length - 1)
    if (typeof how === 'number') response.writeHead(how).end()
    else how(response, item)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    server,
    ids: () => received.map(({ json }) => json.event_id as string),
  }
}
