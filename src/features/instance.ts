import { z } from 'zod'
import { STATUSES } from '../domain/instance.ts'
import { atLeastOne, settingsFields } from './changes.ts'
import { action, control, local } from './endpoint.ts'
import { Done, displayText, INVALID_PHONE, instant } from './fields.ts'
import { Instance, instanceExample, Restriction, Settings, settingsExample } from './objects.ts'
import { HTML, languageOfRequest, pageResponse } from './page.ts'

const StatusAfter = z.object({
  value: z.literal(true),
  status: z.enum(STATUSES).meta({ description: 'Status right after the request.' }),
})

export const qrCode = control('instance.qrCode', 'GET /qr-code', {
  summary: 'Get the QR code for pairing, as a data URL',
  description:
    'Starts the session if it is not running and waits up to 8 s for the first QR code. Poll about every 10 s while the status is `qr`. ' +
    '`expires_at` is present with a QR.',
  reply: z.object({
    value: z.string().nullable().meta({ description: 'Data URL of a 512x512 PNG, or null if there is no QR code to show.' }),
    expires_at: instant.optional(),
    connected: z.boolean(),
  }),
  errors: ['not_allowed'],
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
  summary: 'Get the QR code for pairing, as an image',
  description: 'Returns a 512x512 PNG. Does not start a session.',
  reply: z.instanceof(Uint8Array),
  contentType: 'image/png',
  cacheControl: 'no-store',
  errors: ['not_found'],
})

export const qrCodePage = local('instance.qrCodePage', 'GET /qr-code/page', {
  access: 'instance',
  summary: 'Pair in a browser',
  description:
    'A page that starts the session, shows and renews the QR code, offers a pairing code as an alternative, and ends with a green tick. It names the ' +
    'instance and the number that was linked last, and is in English, Portuguese or Spanish, as the browser wishes. It loads nothing from other hosts and sends no referrer. A browser ' +
    'that has a wrong token gets a page, with the same status.',
  reply: z.string(),
  contentType: HTML,
  cacheControl: 'no-store',
  handle: async ({ parts, instance, request }) => {
    const { name, last_phone: lastPhone } = parts.directory.render(instance, '')
    return pageResponse(parts.pages.pairing({ name, lastPhone, language: languageOfRequest(request) }))
  },
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
  .meta({ pattern: '^[1-9][0-9]{6,14}$', description: 'Number of the phone that is paired.', examples: ['5511999990000'] })

export const phoneCode = control('instance.phoneCode', 'GET /phone-code/{phone}', {
  summary: 'Get a pairing code to type on the phone',
  description:
    'The code has eight characters. The status must be `qr`. A second request for the same number within 60 s returns the same code. The code is valid for three minutes.',
  input: { phone: pairingNumber },
  reply: z.object({ value: z.string().length(8) }),
  errors: ['invalid_phone', 'instance_not_connected', 'instance_starting', 'instance_already_connected', 'action_failed'],
  cacheControl: 'no-store',
  examples: [{ name: 'pair', input: { phone: '5511999990000' }, reply: { value: 'WZYEH1YY' } }],
})

export const status = control('instance.status', 'GET /status', {
  summary: 'Read the state of the instance',
  description: 'If the engine does not answer within 2 s, this returns the last known state.',
  reply: z.object({
    connected: z.boolean(),
    smartphone_connected: z
      .boolean()
      .meta({ description: 'Always equal to `connected`, because a linked device cannot see whether the phone is online.' }),
    status: z.enum(STATUSES),
    phone: z.string().nullable(),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Sentence that explains why the instance is not connected; null if it is.' }),
    restriction: Restriction.nullable().meta({
      description: 'Restriction by the network: messages to people who have not written since it was paired stay in the queue.',
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
  summary: 'Read the instance itself',
  reply: Instance,
  handle: async ({ parts, instance, baseUrl }) => parts.directory.render(instance, baseUrl),
  examples: [{ name: 'connected', reply: instanceExample }],
})

export const device = action('instance.device', 'GET /device', {
  writes: false,
  summary: 'Read the connected account',
  reply: z.object({
    phone: z.string(),
    jid: z.string().meta({ description: 'Address of the account on the network, without the device.' }),
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
  description:
    'Does not log out. Starts the session if it is not running, which also ends a pause. A second call joins the restart in progress. An instance that was moved to another ' +
    'program (`instance export`) is not started.',
  reply: StatusAfter,
  errors: ['not_allowed'],
  status: 201,
  examples: [{ name: 'restart', reply: { value: true, status: 'connecting' } }],
})

export const pause = control('instance.pause', 'POST /pause', {
  summary: 'Close the session and keep it closed',
  description:
    'The status is `stopped` with the reason `paused`, also after a restart of the service, until `POST /resume` or `POST /restart`. The device stays ' +
    'linked, and messages that are sent meanwhile wait in the queue, without becoming older (`queue_max_age_hours`). What arrives meanwhile is received afterwards. The phone logs out a device that ' +
    'was not online for about 14 days. Refused with `not_allowed` if no phone is linked, or if the session has stopped for another reason.',
  reply: StatusAfter,
  errors: ['not_allowed'],
  status: 201,
  examples: [{ name: 'pause', reply: { value: true, status: 'stopped' } }],
})

export const resume = control('instance.resume', 'POST /resume', {
  summary: 'Open the session of a paused instance again',
  description:
    'Changes nothing if the session is running. Refused with `not_allowed` if the session is not running for another reason.',
  reply: StatusAfter,
  errors: ['not_allowed'],
  status: 201,
  examples: [{ name: 'resume', reply: { value: true, status: 'connecting' } }],
})

export const disconnect = control('instance.disconnect', 'POST /disconnect', {
  summary: 'Log out and remove the linked device',
  description:
    'Waiting messages stay in the queue. Pair the instance again to continue. An instance that is not connected, for example because it is paused, ' +
    'cannot tell the network, so the device must also be removed on the phone, under Linked devices.',
  reply: StatusAfter,
  status: 201,
  examples: [{ name: 'log out', reply: { value: true, status: 'logged_out' } }],
})

export const rename = local('instance.rename', 'PUT /name', {
  access: 'instance',
  summary: 'Rename the instance',
  input: { value: displayText(1, 100).meta({ description: 'Name for people; need not be unique.' }) },
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
