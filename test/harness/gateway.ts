import { ask, must } from './http.ts'
import type { Receiver } from './receiver.ts'
import type { Sandbox } from './sandbox.ts'
import { noteSecrets } from './secrets.ts'

export interface Instance {
  id: string
  token: string
  api_url: string
  status: string
  webhooks: { secret: string }
}

export interface Ack {
  id: string
  message_id: string
  svc_id: string
  status: string
}

const ALL_SCOPES = ['instances:operate', 'instances:read', 'instances:write', 'webhooks:read', 'webhooks:write']
const NO_PACING = { delay_message_min_ms: 0, delay_message_max_ms: 0 }

export async function createGateway(baseUrl: string, adminKey: string, apiKey?: string) {
  noteSecrets(adminKey)
  const admin = { authorization: `Bearer ${adminKey}` }
  const key =
    apiKey ??
    String(
      (
        await must(
          'POST',
          `${baseUrl}/admin/api-keys`,
          { name: `tests ${Date.now()} ${Math.random()}`, scopes: ALL_SCOPES },
          admin,
        )
      ).value,
    )
  const account = { authorization: `Bearer ${key}` }

  async function createInstance(receiver: Receiver | null, more: { settings?: object; webhooks?: object; name?: string } = {}) {
    const created = await must<Instance>(
      'POST',
      `${baseUrl}/account/instances`,
      {
        name: more.name ?? 'test',
        settings: { ...NO_PACING, ...more.settings },
        webhooks: receiver ? { single_url: receiver.url, ...more.webhooks } : (more.webhooks ?? {}),
      },
      account,
    )
    receiver?.trust(created.id, created.webhooks.secret)
    return created
  }

  const status = (instance: Instance) => must('GET', `${instance.api_url}/status`)

  async function waitForStatus(instance: Instance, wanted: string, ms = 20_000): Promise<Record<string, unknown>> {
    const until = Date.now() + ms
    for (;;) {
      const now = await status(instance)
      if (now.status === wanted) return now
      if (Date.now() > until) throw new Error(`${instance.id} is ${now.status}, not ${wanted}: ${now.error}`)
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }

  async function pair(instance: Instance, sandbox: Sandbox, phone: string) {
    let shown: Record<string, unknown>
    // If no code comes within 8 s, the `value` of the answer is null. On a busy machine this is not a failure, so the
    // request is repeated.
    do shown = await must('GET', `${instance.api_url}/qr-code`)
    while (shown.value === null)
    await sandbox.scan(phone, String(shown.value))
    await waitForStatus(instance, 'connected')
  }

  return {
    baseUrl,
    key,
    admin,
    account,
    createInstance,
    status,
    waitForStatus,
    pair,
    ask: (instance: Instance, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      ask(method, instance.api_url + path, body, headers),
    must: (instance: Instance, method: string, path: string, body?: unknown) => must(method, instance.api_url + path, body),
    sendText: (instance: Instance, phone: string, message: string, more: object = {}) =>
      must<Ack>('POST', `${instance.api_url}/send-text`, { phone, message, ...more }),
    async connected(sandbox: Sandbox, phone: string, receiver: Receiver | null, more: Parameters<typeof createInstance>[1] = {}) {
      await sandbox.createPhone(phone, { name: `Phone ${phone}` })
      const instance = await createInstance(receiver, more)
      await pair(instance, sandbox, phone)
      return instance
    },
  }
}
export type Gateway = Awaited<ReturnType<typeof createGateway>>
