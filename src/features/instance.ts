/** Instance: pairing, state, identity, settings (shared/api/instance.md). */
import { z } from 'zod'
import { STATUSES } from '../domain/instance.ts'
import { atLeastOne, settingsFields } from './changes.ts'
import { action, control, local } from './endpoint.ts'
import { Done, displayText, INVALID_PHONE, instant } from './fields.ts'
import { Instance, instanceExample, Restriction, Settings, settingsExample } from './objects.ts'
import { HTML, pageResponse } from './page.ts'

const StatusAfter = z.object({
  value: z.literal(true),
  status: z.enum(STATUSES).meta({ description: 'Right after the request.' }),
})

export const qrCode = control('instance.qrCode', 'GET /qr-code', {
  summary: 'QR code to pair with, as a data URL',
  description:
    'Starts the session when it is not running and waits up to 8 s for the first QR. Poll about every 10 s while the status is `qr`. ' +
    '`expires_at` is present with a QR.',
  reply: z.object({
    value: z.string().nullable().meta({ description: '512x512 PNG data URL, or null when there is no QR to show.' }),
    expires_at: instant.optional(),
    connected: z.boolean(),
  }),
  cacheControl: 'no-store',
  examples: [
    {
      name: 'waiting for the phone',
      reply: { value: 'data:image/png;base64,iVBORw0…', expires_at: '2026-01-31T12:00:20.000Z', connected: false },
    },
    { name: 'connected', reply: { value: null, connected: true } },
  ],
})

export const qrCodeImage = control('instance.qrCodeImage', 'GET /qr-code/image', {
  summary: 'QR code to pair with, as an image',
  description: '512x512 PNG. Does not start a session.',
  reply: z.instanceof(Uint8Array),
  contentType: 'image/png',
  cacheControl: 'no-store',
  errors: ['not_found'],
})

export const qrCodePage = local('instance.qrCodePage', 'GET /qr-code/page', {
  access: 'instance',
  summary: 'Pair in a browser',
  description:
    'A page that starts the session, shows the QR code and renews it, offers the code for a number instead, and ends in a green tick. It loads ' +
    'nothing from elsewhere, and no referrer carries its address.',
  reply: z.string(),
  contentType: HTML,
  cacheControl: 'no-store',
  handle: async ({ parts }) => pageResponse(parts.pages.pairing),
})

const pairingNumber = z
  .string()
  .min(1)
  .superRefine((value, context) => {
    if (!/^[1-9]\d{6,14}$/.test(value))
      context.addIssue({
        code: 'custom',
        message: 'must be 7 to 15 digits with country code, without a leading zero',
        params: INVALID_PHONE,
      })
  })
  .meta({ pattern: '^[1-9][0-9]{6,14}$', description: 'Number of the phone to pair with.', examples: ['5511999990000'] })

export const phoneCode = control('instance.phoneCode', 'GET /phone-code/{phone}', {
  summary: 'Code to pair with, typed on the phone',
  description:
    'Eight characters; needs the status `qr`. The same number within 60 s gets the same code. It can be entered for three minutes.',
  input: { phone: pairingNumber },
  reply: z.object({ value: z.string().length(8) }),
  errors: ['invalid_phone', 'instance_not_connected', 'instance_starting', 'instance_already_connected', 'action_failed'],
  cacheControl: 'no-store',
  examples: [{ name: 'pair', input: { phone: '5511999990000' }, reply: { value: 'WZYEH1YY' } }],
})

export const status = control('instance.status', 'GET /status', {
  summary: 'State of the instance',
  description: 'Answers the last known state when the engine is silent for 2 s.',
  reply: z.object({
    connected: z.boolean(),
    smartphone_connected: z.boolean().meta({ description: 'Equals `connected`: a linked device hears nothing of the phone.' }),
    status: z.enum(STATUSES),
    phone: z.string().nullable(),
    error: z.string().nullable().meta({ description: 'A sentence that says why it is not connected.' }),
    restriction: Restriction.nullable().meta({
      description: 'What the network keeps the account from: messages to people who never wrote wait.',
    }),
  }),
  fallback: {
    ms: 2_000,
    answer: async ({ parts, instance }) => parts.directory.status(instance),
    isOfNow: ({ parts, instance }) => parts.directory.isStatusOfNow(instance),
  },
  examples: [
    {
      name: 'waiting for the phone',
      reply: {
        connected: false,
        smartphone_connected: false,
        status: 'qr',
        phone: null,
        error: 'Waiting for the QR code or pairing code to be accepted on the phone.',
        restriction: null,
      },
    },
  ],
})

export const me = local('instance.me', 'GET /me', {
  access: 'instance',
  summary: 'The instance itself',
  reply: Instance,
  handle: async ({ parts, instance, baseUrl }) => parts.directory.render(instance, baseUrl),
  examples: [{ name: 'connected', reply: instanceExample }],
})

export const device = action('instance.device', 'GET /device', {
  writes: false,
  summary: 'The connected account',
  reply: z.object({
    phone: z.string(),
    jid: z.string().meta({ description: 'Address on the network, without device.' }),
    name: z.string().nullable(),
    platform: z.string().nullable(),
    connected_at: instant,
  }),
  examples: [
    {
      name: 'connected',
      reply: {
        phone: '5511999990000',
        jid: '5511999990000@s.whatsapp.net',
        name: 'Support',
        platform: 'android',
        connected_at: '2026-01-31T12:00:00.000Z',
      },
    },
  ],
})

export const restart = control('instance.restart', 'POST /restart', {
  summary: 'Close the session and open it again',
  description: 'Never logs out. Starts a session that is not running. A second call joins the restart in progress.',
  reply: StatusAfter,
  status: 201,
  examples: [{ name: 'restart', reply: { value: true, status: 'connecting' } }],
})

export const disconnect = control('instance.disconnect', 'POST /disconnect', {
  summary: 'Log out: remove the linked device',
  description: 'Waiting messages stay in the queue. Pair again to go on.',
  reply: StatusAfter,
  status: 201,
  examples: [{ name: 'log out', reply: { value: true, status: 'logged_out' } }],
})

export const rename = local('instance.rename', 'PUT /name', {
  access: 'instance',
  summary: 'Rename the instance',
  input: { value: displayText(1, 100).meta({ description: 'What people call it; need not be unique.' }) },
  reply: Done,
  async handle({ parts, instance }, { value }) {
    await parts.directory.update(instance, { name: value })
    return { value: true } as const
  },
  examples: [{ name: 'rename', input: { value: 'Support BR' }, reply: { value: true } }],
})

export const updateSettings = local('instance.updateSettings', 'PUT /settings', {
  access: 'instance',
  summary: 'Change settings',
  description:
    'Only the given fields change; at least one. `delay_message_min_ms` may not be above `delay_message_max_ms` after the change. ' +
    'Takes effect for the next queued message. A change of `proxy_url` restarts the session.',
  input: settingsFields,
  check: atLeastOne,
  reply: Settings,
  async handle({ parts, instance }, settings) {
    await parts.directory.update(instance, { settings })
    return parts.directory.settings(instance)
  },
  examples: [
    {
      name: 'reject calls, write slower',
      input: {
        call_reject_auto: true,
        call_reject_message: 'We only answer by text.',
        delay_message_min_ms: 2000,
        delay_message_max_ms: 5000,
      },
      reply: {
        ...settingsExample,
        call_reject_auto: true,
        call_reject_message: 'We only answer by text.',
        delay_message_min_ms: 2000,
        delay_message_max_ms: 5000,
      },
    },
  ],
})
