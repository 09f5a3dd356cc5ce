/** A receiver that counts events by type. It does not verify signatures, because older checkouts use other header names. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export async function startCounter() {
  const counts = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { type } = (await new Response(request as unknown as ReadableStream).json()) as { type: string }
    counts.set(type, (counts.get(type) ?? 0) + 1)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    count: (type: string) => counts.get(type) ?? 0,
    stop: () => server.close(),
  }
}
