/**
 * A program that uses the client and no module of Node, so it runs on Node, Deno, Bun and workers
 * (`test/e2e/client-runtimes.test.ts`).
 */
import { createClient, createWebhookHandler, SvcError, verifyWebhook } from 'svc-client'

export interface Task {
  baseUrl: string
  id: string
  token: string
  friend: string
  webhook: { body: string; headers: Record<string, string>; secret: string }
}

export async function work({ baseUrl, id, token, friend, webhook }: Task) {
  const instance = createClient({ baseUrl }).instance({ id, token })
  const { connected } = await instance.status()
  let echoed: string | undefined
  // The other account (the friend) answers each text that begins with `echo `.
  const onOpen = () => void instance.sendText({ phone: friend, message: 'echo Hello' })
  for await (const event of instance.events({ types: ['received'], onOpen })) {
    if (event.from_me) continue
    echoed = event.text?.message
    break
  }
  const sent = await instance.sendText({ phone: friend, message: 'Goodbye' }, { waitMs: 20_000 })
  const refused = await instance.sendText({ phone: 'nobody', message: 'Hello' }).catch(codeOf)
  const { body, headers, secret } = webhook
  const { type } = await verifyWebhook(body, headers['x-svc-signature'], secret)
  const events: string[] = []
  const handle = createWebhookHandler({ secret, withTests: true, onEvent: (event) => events.push(event.type) })
  const post = (text: string) => handle(new Request('http://localhost/hook', { method: 'POST', headers, body: text }))
  const statuses = [(await post(body)).status, (await post(`${body} `)).status]
  return { connected, echoed, sent: sent.status, refused, type, events, statuses }
}

const codeOf = (error: unknown) => (error instanceof SvcError ? error.code : String(error))
