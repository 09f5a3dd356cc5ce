/**
 * A program as a user of this package writes it: it creates an instance, sends a message, and receives the answer and
 * the events. It is compiled in an empty project in which the packed package is installed (`test/e2e/client.test.ts`).
 */
import { createClient, type EventOf, type InstanceClient, SvcConnectionError, SvcError } from 'svc-client'

export interface Story {
  baseUrl: string
  adminKey: string
  webhookUrl: string
  trust(instance: string, secret: string): void
  scan(dataUrl: string): Promise<unknown>
  friendWrites(text: string): Promise<unknown>
  /** `friend`: number of a person who accepts messages. `stranger`: number without an account. */
  friend: string
  stranger: string
}

export async function tell(story: Story) {
  const admin = createClient({ baseUrl: story.baseUrl, apiKey: story.adminKey })
  const scopes = ['instances:operate', 'instances:read', 'instances:write', 'webhooks:read', 'webhooks:write'] as const
  const key = await admin.admin.createApiKey({ name: 'svc-client', scopes: [...scopes] })
  const svc = createClient({ baseUrl: story.baseUrl, apiKey: key.value })
  const created = await svc.account.createInstance({
    name: 'svc-client',
    webhooks: { single_url: story.webhookUrl },
    settings: { delay_message_min_ms: 0, delay_message_max_ms: 0 },
  })
  story.trust(created.id, created.webhooks.secret)
  const instance = svc.instance(created)
  await pair(instance, story.scan)

  const sent = await instance.sendText({ phone: story.friend, message: 'Hello from the client' }, { waitMs: 30_000 })
  const failed = await instance.sendText({ phone: story.stranger, message: 'Hello?' }, { waitMs: 30_000 })
  const answer = await firstAnswer(instance, story)
  const group = await instance.groups.create({ name: 'Lunch', phones: [story.friend], auto_invite: false })
  const chats = await instance.chats.list()
  const picture = await instance.qrCodeImage().catch(codeOf)
  return {
    created,
    instance,
    sent,
    failed,
    answer,
    group,
    chats: chats.data.length,
    picture,
    lost: await lostAnswers(story, instance, created),
  }
}

async function pair(instance: InstanceClient, scan: Story['scan']) {
  let qr: string | null = null
  while (qr === null) qr = (await instance.qrCode()).value
  await scan(qr)
  while (!(await instance.status()).connected) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function firstAnswer(instance: InstanceClient, story: Story): Promise<EventOf<'received'> | undefined> {
  const onOpen = () => void story.friendWrites('Hello back')
  for await (const event of instance.events({ types: ['received'], onOpen })) return event
  return undefined
}

export const codeOf = (error: unknown) =>
  error instanceof SvcError ? error.code : error instanceof SvcConnectionError ? 'connection' : String(error)

/**
 * Calls two operations through a client that loses the first answer to each, as with a broken connection. Counts the
 * requests.
 */
async function lostAnswers({ baseUrl, friend }: Story, instance: InstanceClient, credentials: { id: string; token: string }) {
  let requests = 0
  const unreliable = createClient({
    baseUrl,
    async fetch(url, init) {
      const response = await fetch(url, init)
      requests += 1
      if (requests === 1) throw new TypeError('the connection was cut')
      return response
    },
  }).instance(credentials)
  const repeated = await unreliable.sendText({ phone: friend, message: 'Only once' }, { waitMs: 20_000 })
  const afterSend = requests
  requests = 0
  // If the creation of a group were repeated, there could be two groups. So the client does not repeat it.
  const group = await unreliable.groups
    .create({ name: 'Once', phones: [friend], auto_invite: false })
    .then(() => 'created', codeOf)
  const wrong = await instance.sendText({ phone: 'nobody', message: 'Hello' }).catch(codeOf)
  return { repeated: repeated.status, afterSend, group, afterGroup: requests, wrong }
}
