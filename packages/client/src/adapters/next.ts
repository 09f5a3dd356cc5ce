/** Receiver of webhooks for a route handler of Next: `export const POST = svcWebhook({ secret, onEvent })`. */
export { createWebhookHandler as svcWebhook } from '../webhook-handler.ts'
