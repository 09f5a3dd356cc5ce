/**
 * Calls of clients of the dialect `zapi` for which the service has no operation. Each is refused with the sentence in
 * its row.
 */

const NO_MESSAGES = 'The service keeps no messages. Store those that webhooks deliver.'
const IN_THE_APP = 'is done in the WhatsApp app on the phone; the service has no call for it.'
const WEBHOOKS = 'This path is only the name of a page in the documentation of Z-API. Set the URL with PUT /update-webhook-'

const ABSENT: readonly (readonly [calls: RegExp, why: string])[] = [
  [/^GET \/chat-messages\/[^/]+$/, NO_MESSAGES],
  [/^\w+ \/chats\/[^/]+\/notes$/, 'The service keeps no notes about chats. Store them in your program.'],
  [
    /^\w+ \/(send-call|call-token|sip-info|sip-token)$/,
    'The service makes no calls. It reports missed calls, and can reject incoming ones.',
  ],
  [/^POST \/order-payment-update$/, 'Use POST /order-status-update with paymentStatus.'],
  [/^POST \/queue$/, 'Use GET /queue to list the messages that wait.'],
  [/^\w+ \/mobile\/.+$/, `The registration of a number ${IN_THE_APP}`],
  [
    /^\w+ \/security\/.+$/,
    `The email address and the code for two-step verification are settings of the account. Changing them ${IN_THE_APP}`,
  ],
  [
    /^\w+ \/integrator\/on-demand\/.+$/,
    'Single instances have no subscription. POST /account/instances makes an instance, and DELETE /account/instances/{instance_id} removes it.',
  ],
  [/^POST \/on-chat-presence$/, `${WEBHOOKS}chat-presence.`],
  [/^POST \/on-message-received$/, `${WEBHOOKS}received.`],
  [/^POST \/on-message-send$/, `${WEBHOOKS}delivery.`],
  [/^POST \/on-whatsapp-disconnected$/, `${WEBHOOKS}disconnected.`],
  [/^POST \/on-whatsapp-message-status-changes$/, `${WEBHOOKS}message-status.`],
  [/^(?!PUT )\w+ \/update-webhook-[\w-]+$/, 'Use PUT for this path.'],
]

/** Sentences for calls of partners of Z-API. These calls have no instance in their path. */
const OF_PARTNERS: Readonly<Record<string, string>> = {
  'POST /instances/integrator/on-demand': 'Use POST /account/instances with an API key to make an instance.',
  'GET /instances': 'Use GET /account/instances with an API key to list the instances.',
  'PUT /instances': 'Use PUT /instances/{instance_id}/token/{token}/update-name to rename an instance.',
}

export const whyAbsentForPartners = (method: string, path: string): string | undefined => {
  const call = `${method} ${path}`
  return Object.hasOwn(OF_PARTNERS, call) ? OF_PARTNERS[call] : undefined
}

export const whyAbsent = (method: string, path: string): string | undefined =>
  ABSENT.find(([calls]) => calls.test(`${method} ${path}`))?.[1]
