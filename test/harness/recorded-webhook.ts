/**
 * Records a signed webhook of the service, so that the receivers in the documentation and the packages can be tested
 * with real requests.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { deferred } from '../../src/lib/deferred.ts'
import type { Gateway, Instance } from './gateway.ts'

export async function recordedWebhook(
  gateway: Gateway,
  instance: Instance,
): Promise<{ body: string; headers: Record<string, string> }> {
  const { promise, resolve } = deferred<{ body: string; headers: Record<string, string> }>()
  const { url, close } = await listenTo(async (request, response) => {
    const body = await text(request)
    const signed = Object.entries(request.headers).filter(([name]) => /^(x-svc-|content-type)/.test(name))
    response.end()
    resolve({ body, headers: Object.fromEntries(signed) as Record<string, string> })
  })
  await gateway.must(instance, 'PUT', '/webhooks', { single_url: url })
  await gateway.must(instance, 'POST', '/webhooks/received/test')
  close()
  return promise
}

export function listenTo(listener: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(listener)
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }))
  })
}
