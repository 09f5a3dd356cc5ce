/** Verifies webhooks with the packages that receivers use: `stripe`, `standardwebhooks` and `svix`. */
import type { IncomingHttpHeaders } from 'node:http'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'

const stripe = new Stripe('sk_test_receiver')

/** Verifies the signature of a webhook with each of the packages. Throws the error of the package that refuses it. */
export function verify(body: Buffer, headers: IncomingHttpHeaders, secret: string): void {
  stripe.webhooks.constructEvent(body, String(headers['x-svc-signature']), secret)
  for (const Webhook of [StandardWebhook, SvixWebhook])
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
}
