/**
 * Uses the service through the client that `@hey-api/openapi-ts` generates, whose functions are named after the
 * operation ids.
 */
import { createClient } from './generated/hey/client/index.js'
import * as api from './generated/hey/index.js'

export async function health(baseUrl: string): Promise<string> {
  const client = createClient({ baseUrl })
  const { data } = await api.systemLive({ client, throwOnError: true })
  return data.status
}

export async function sendTo(baseUrl: string, instance: { id: string; token: string }, phone: string): Promise<string> {
  const client = createClient({ baseUrl })
  const { data, error } = await api.sendSendText({
    client,
    path: { instance_id: instance.id, token: instance.token },
    headers: { Prefer: 'wait=1' },
    body: { phone, message: 'Hello' },
  })
  return data?.status ?? error?.error.code ?? 'nothing'
}
