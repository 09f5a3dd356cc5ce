/** Receiver of webhooks for Hono: `app.post('/hook', svcWebhook({ secret, onEvent }))`. */
import { createWebhookHandler, type WebhookOptions } from '../webhook-handler.ts'

interface Context {
  readonly req: { readonly raw: Request }
}

export function svcWebhook(options: WebhookOptions): (context: Context) => Promise<Response> {
  const handle = createWebhookHandler(options)
  return ({ req }) => handle(req.raw)
}
