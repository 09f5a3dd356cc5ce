/**
 * Linking an account that requires its passkey. A browser signs the challenge on a page of WhatsApp, and this API
 * accepts the assertion. A browser extension can do both with a ticket.
 */
import { z } from 'zod'
import { PASSKEY_ATTEMPTS, PASSKEY_ERRORS, PASSKEY_STAGES } from '../domain/passkey.ts'
import { control, local } from './endpoint.ts'
import { Done, instant } from './fields.ts'

const MAX_BODY = 16_384

const WITHOUT_PADDING = /=+$/

const lengthOf = (text: string) => Math.floor((text.length * 3) / 4)

/** A text in base64url; padding is removed. `fits` refuses a wrong length. */
const base64url = (
  description: string | undefined,
  fits: (text: string, refuse: (message: string) => void) => void,
  maxLength: number,
) =>
  z
    .string()
    .transform((value, context) => {
      const refuse = (message: string) => context.addIssue({ code: 'custom', message })
      const text = value.replace(WITHOUT_PADDING, '')
      // A text whose length is one more than a multiple of four does not encode whole bytes.
      if (!/^[\w-]*={0,2}$/.test(value) || text.length % 4 === 1) refuse('must be base64url')
      else fits(text, refuse)
      return text
    })
    .meta({ ...(description === undefined ? {} : { description }), maxLength, contentEncoding: 'base64url' })

/** Writes a number with commas. `toLocaleString` would load 5 MB of locale data at every start. */
const withCommas = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

const bytes = (min: number, max: number, description?: string) =>
  base64url(
    description && `${description} In base64url, at most ${withCommas(max)} bytes.`,
    (text, refuse) => {
      if (lengthOf(text) < min) refuse(`must have at least ${min} byte${min === 1 ? '' : 's'}`)
      if (lengthOf(text) > max) refuse(`must have at most ${max} bytes`)
    },
    4 * Math.ceil(max / 3),
  )

const MAX_ID = 1_364
const credentialId = (description: string) =>
  base64url(
    description,
    ({ length }, refuse) => {
      if (length === 0) refuse('must not be empty')
      if (length > MAX_ID) refuse(`must have at most ${MAX_ID} characters`)
    },
    MAX_ID + 2,
  )

const Assertion = z
  .object({
    id: credentialId('Id of the passkey, in base64url.'),
    rawId: credentialId('The same as `id`.'),
    type: z.literal('public-key').meta({ description: 'Type of the credential.' }),
    response: z
      .object({
        clientDataJSON: bytes(2, 4_096, 'Client data of WebAuthn, which the browser has signed: the challenge and the origin.'),
        authenticatorData: bytes(37, 2_048, 'Authenticator data of WebAuthn: relying party, flags and counter.'),
        signature: bytes(8, 1_024, 'Signature over client data and authenticator data.'),
        userHandle: bytes(0, 64).nullish().meta({
          description:
            'User handle of the account in the authenticator. In base64url, at most 64 bytes; absent or null if there is none.',
        }),
      })
      .meta({ description: 'Assertion data that was signed.' }),
    authenticatorAttachment: z.unknown().optional().meta({ description: 'Not used.' }),
    clientExtensionResults: z.unknown().optional().meta({ description: 'Not used.' }),
  })
  .meta({
    id: 'PasskeyAssertion',
    description:
      'Result of `credential.toJSON()` in the browser, with the field names of the WebAuthn standard. Other fields are ignored.',
  })

const example = {
  id: 'eYpbewTePUSP786D90-34D-9ueY',
  rawId: 'eYpbewTePUSP786D90-34D-9ueY',
  type: 'public-key',
  response: {
    clientDataJSON:
      'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiUUtfdU1WeDliTWJod0p0V21rM2xvOVVaZjF1MEFsdHRaVnlKWnRicnVlRSIsIm9yaWdpbiI6Imh0dHBzOi8vd2ViLndoYXRzYXBwLmNvbSIsImNyb3NzT3JpZ2luIjpmYWxzZX0',
    authenticatorData: '6GiQbHMCCZZu_0CMVdeBYw_LPJ3pYenpc4tN0OD9Xn8dAAAAAA',
    signature: 'MEUCIQCe6HcC01G-YcX7-sX6e5DWLm-9rV95anrpcByyp7N8igIgVeBRraYrgEtUFFb8f8MEs0aq25dnk1W7BZwIkLNRJDw',
    userHandle: '-a3DC5GQKoTkqOzfS1NLJw',
  },
}

const publicKey = {
  challenge: 'QK_uMVx9bMbhwJtWmk3lo9UZf1u0AlttZVyJZtbrueE',
  timeout: 600_000,
  rpId: 'whatsapp.com',
  allowCredentials: [],
  userVerification: 'required',
  extensions: { uvm: true },
}

export const passkey = local('instance.passkey', 'GET /passkey', {
  access: 'instance',
  summary: 'Read the state of the linking with a passkey',
  description:
    'Some accounts link a device only with their passkey. The status is `connecting`, with the reason `passkey_required` after the phone has ' +
    'accepted the code and `passkey_confirmation` after the network has accepted the assertion. Pass `public_key` to ' +
    '`PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get` on `https://web.whatsapp.com`, and the result to ' +
    '`POST /passkey/response`. Answers in every status; poll it while the status is `connecting`.',
  reply: z.object({
    stage: z.enum(PASSKEY_STAGES).meta({
      description:
        '`awaiting_response`: the challenge must be signed. `awaiting_confirmation`: the assertion was accepted, and the phone must confirm. `linking`: the device is being linked.',
    }),
    public_key: z
      .looseObject({ challenge: z.string().meta({ description: 'Challenge in base64url, valid for one assertion.' }) })
      .nullable()
      .meta({ description: 'WebAuthn options in JSON, as the network sent them; null if there is nothing to sign.' }),
    expires_at: instant.nullable().meta({ description: 'Time at which this stage expires.' }),
    attempts_left: z
      .int()
      .min(0)
      .max(PASSKEY_ATTEMPTS)
      .meta({ description: 'Number of assertions that can still be sent to the network.' }),
    code: z
      .string()
      .nullable()
      .meta({
        description: 'Code that the phone shows, as soon as it is known, even if nobody has to confirm it here.',
        examples: ['AJ9P-PB27'],
      }),
    needs_confirmation: z.boolean().meta({ description: 'Whether the linking waits for `POST /passkey/confirm`.' }),
    helper_seen: z.boolean().meta({ description: 'Whether a browser extension has used a ticket of this linking.' }),
    last_error: z.enum(PASSKEY_ERRORS).nullable().meta({ description: 'Reason why the last attempt, or the linking, failed.' }),
  }),
  errors: ['engine_unavailable'],
  cacheControl: 'no-store',
  handle: ({ parts, instance, isStranger }) => parts.passkeys.state(instance, { isStranger }),
  examples: [
    {
      name: 'something to sign',
      reply: {
        stage: 'awaiting_response',
        public_key: publicKey,
        expires_at: '2026-01-31T12:10:00.000Z',
        attempts_left: 3,
        code: null,
        needs_confirmation: false,
        helper_seen: false,
        last_error: null,
      },
    },
    {
      name: 'a code to compare',
      reply: {
        stage: 'awaiting_confirmation',
        public_key: null,
        expires_at: '2026-01-31T12:10:00.000Z',
        attempts_left: 2,
        code: 'AJ9P-PB27',
        needs_confirmation: true,
        helper_seen: true,
        last_error: null,
      },
    },
  ],
})

export const passkeyResponse = control('instance.passkeyResponse', 'POST /passkey/response', {
  summary: 'Submit the assertion of the browser',
  description:
    'An assertion that cannot be right is refused with 400 before anything is sent; after ten of them the pairing has to be restarted. Each one ' +
    'that is sent uses one of three attempts: when the network refuses it (502, with its code in `details.network_code`) or does not answer (504), ' +
    '`GET /passkey` has another `public_key` to sign. The body may have at most 16 KB.',
  input: { assertion: Assertion },
  check({ assertion: { id, rawId } }, issue) {
    if (id !== rawId) issue('assertion.rawId', 'must be the same as id')
  },
  maxBody: MAX_BODY,
  reply: z.object({
    value: z.literal(true),
    stage: z.enum(PASSKEY_STAGES).meta({ description: 'The `stage` of `GET /passkey`.' }),
  }),
  errors: ['passkey_not_pending', 'action_failed', 'send_timeout'],
  cacheControl: 'no-store',
  examples: [{ name: 'taken', input: { assertion: example }, reply: { value: true, stage: 'awaiting_confirmation' } }],
})

export const passkeyConfirm = control('instance.passkeyConfirm', 'POST /passkey/confirm', {
  summary: 'Confirm or deny that the phone shows the same code',
  description: 'Only while `needs_confirmation` is true. `false` ends the linking: the status becomes `logged_out`.',
  input: { matches: z.boolean().meta({ description: 'True if the phone shows the `code` of `GET /passkey`.' }) },
  reply: Done,
  errors: ['passkey_not_pending'],
  cacheControl: 'no-store',
  examples: [{ name: 'the same', input: { matches: true }, reply: { value: true } }],
})

export const passkeyTicket = local('instance.passkeyTicket', 'POST /passkey/ticket', {
  access: 'instance',
  summary: 'Let a browser sign without the credentials of the instance',
  description:
    'For a browser extension. `open_url` opens WhatsApp Web, with the address of this service and the ticket in the fragment, which browsers send ' +
    'to no server. With the header `X-Passkey-Ticket` and no other credential, `GET {base}/passkey` answers `{ name, public_key, expires_at }` (the ' +
    '`name` is empty for a ticket of a connect link) and ' +
    '`POST {base}/passkey` takes `{ assertion }` like `POST /passkey/response`; both allow every origin. A ticket expires after ten minutes, after ' +
    'an accepted assertion, after three refused ones, and when the next ticket is made.',
  reply: z.object({
    ticket: z.string().length(43).meta({ description: '256 random bits in base64url.' }),
    expires_at: instant,
    open_url: z.string().meta({ description: 'URL to open in a new tab.' }),
  }),
  status: 201,
  errors: ['passkey_not_pending', 'engine_unavailable'],
  cacheControl: 'no-store',
  handle: ({ parts, instance, baseUrl, isStranger }) => parts.passkeys.ticket(instance, baseUrl, { isStranger }),
  examples: [
    {
      name: 'a ticket',
      reply: {
        ticket: 'kq0cQ1mJ3kQO0m7b5o1sM2gqk3m8m5l1o2C3d4E5f6A',
        expires_at: '2026-01-31T12:10:00.000Z',
        open_url: 'https://web.whatsapp.com/#svc-passkey=eyJ2IjoxLCJ1IjoiaHR0cHM6Ly9ndy5leGFtcGxlLmNvbS9wYXNza2V5IiwidCI6Iuk…',
      },
    },
  ],
})
