import { z } from 'zod'
import { iso, SECOND } from '../../domain/clock.ts'
import {
  CONNECT_LIFE,
  CONNECT_STATUSES,
  isFrameOrigin,
  type ConnectLink as Link,
  MAX_FRAME_ORIGINS,
  MAX_LINKS,
} from '../../domain/connect-link.ts'
import { LANGUAGES } from '../../domain/language.ts'
import { pageOf } from '../../domain/page.ts'
import { local } from '../endpoint.ts'
import { Done, displayText, instant, integer, oneOf, paged, paging, uuid } from '../fields.ts'
import { instanceExample } from '../objects.ts'
import type { Parts } from '../parts.ts'

const MAX_NAME = 60

const ConnectLink = z
  .object({
    id: z.string().meta({ description: 'UUID of the link. It opens nothing.' }),
    instance_id: z.string().meta({ description: 'Instance that is paired.' }),
    status: z.enum(CONNECT_STATUSES).meta({
      description: '`open`, `paired` after its instance was connected, or `expired`. Only an open link can pair the instance.',
    }),
    created_at: instant,
    expires_at: instant,
    paired_at: instant.nullable().meta({ description: 'Time at which the instance was connected while the link was open.' }),
    allowed_origins: z.array(z.string()).meta({ description: 'Origins whose pages may frame the page.' }),
    locale: z.enum(LANGUAGES).meta({ description: 'Language of the page.' }),
    operator_name: z.string().nullable().meta({ description: 'Name that the page shows.' }),
    operator_color: z.string().nullable().meta({ description: 'Color of the page.' }),
  })
  .meta({ id: 'ConnectLink' })

function render(link: Link, { connectLinks }: Parts) {
  return {
    id: link.id,
    instance_id: link.instance,
    status: connectLinks.statusOf(link),
    created_at: iso(link.createdAt),
    expires_at: iso(link.expiresAt),
    paired_at: link.pairedAt === null ? null : iso(link.pairedAt),
    allowed_origins: [...link.allowedOrigins],
    locale: link.locale,
    operator_name: link.operator.name,
    operator_color: link.operator.color,
  }
}

const expiresIn = integer(CONNECT_LIFE.min / SECOND, CONNECT_LIFE.max / SECOND)
  .default(CONNECT_LIFE.default / SECOND)
  .meta({
    description: 'Seconds until the link expires, from now on: 5 minutes to 7 days.',
    default: CONNECT_LIFE.default / SECOND,
  })

const origin = z
  .string()
  .refine(isFrameOrigin, {
    error: 'must be an origin such as https://app.example.com, in lower case and without a path (http only for this machine)',
  })
  .meta({ examples: ['https://app.example.com'] })

const linkId = { link_id: uuid.meta({ description: 'The link.' }) }

const example = {
  id: '0c6f2d3e-8a41-4b7d-9e15-5b2f7a9c1d34',
  instance_id: instanceExample.id,
  status: 'open',
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: '2026-02-01T12:00:00.000Z',
  paired_at: null,
  allowed_origins: ['https://app.example.com'],
  locale: 'pt',
  operator_name: 'Example CRM',
  operator_color: '#0f6b3a',
} as const

export const createConnectLink = local('account.createConnectLink', 'POST /account/connect-links', {
  access: 'instances:write',
  summary: 'Create a link with which a customer pairs an instance',
  description:
    'The link opens a page that shows the QR code or a pairing code, asks for a passkey if the account needs one, and ends with a green tick. Its ' +
    'address is the only secret: a person who has it can pair this instance, and can neither read nor send anything. It is shown only here. The link ends ' +
    `when the instance is connected. An instance can have ${MAX_LINKS} open links. Refused with \`not_allowed\` while messages wait in the queue of the ` +
    'instance, because they would leave from the number that is paired next, and with `instance_already_connected` while an account is linked. In a frame, ' +
    "the page posts `{ type: 'svc.connect', event, link_id }` to the page around it, if its origin is allowed, with the event `paired` or `ended`.",
  input: {
    instance_id: uuid.meta({ description: 'Instance that is paired.' }),
    expires_in: expiresIn,
    allowed_origins: z
      .array(origin)
      .max(MAX_FRAME_ORIGINS)
      .default([])
      .meta({ description: 'Origins whose pages may frame the page. By default nobody may.', default: [] }),
    locale: oneOf(LANGUAGES).default('en').meta({ description: 'Language of the page.', default: 'en' }),
    operator_name: displayText(1, MAX_NAME).nullish().meta({ description: 'Name that the page shows above its title.' }),
    operator_color: z
      .string()
      .regex(/^#[0-9a-fA-F]{6}$/, 'must be written as #rrggbb')
      .nullish()
      .meta({ description: 'Color of buttons and of the upper edge of the page.', examples: ['#0f6b3a'] }),
  },
  reply: ConnectLink.extend({
    url: z.string().meta({ description: 'Address of the page. It has no token of the API, and cannot be read again.' }),
  }).meta({ id: 'NewConnectLink' }),
  status: 201,
  errors: ['not_found', 'instance_already_connected', 'not_allowed', 'engine_unavailable'],
  async handle({ parts, workspace, baseUrl }, wish) {
    const instance = parts.directory.find(workspace, wish.instance_id)
    const { link, secret } = await parts.connectLinks.create(workspace, instance, {
      lifeMs: wish.expires_in * SECOND,
      allowedOrigins: [...new Set(wish.allowed_origins)],
      locale: wish.locale,
      operator: { name: wish.operator_name ?? null, color: wish.operator_color?.toLowerCase() ?? null },
    })
    return { ...render(link, parts), url: `${baseUrl}/connect/${secret}` }
  },
  examples: [
    {
      name: 'framed by the operator',
      input: {
        instance_id: instanceExample.id,
        expires_in: 86_400,
        allowed_origins: ['https://app.example.com'],
        locale: 'pt',
        operator_name: 'Example CRM',
        operator_color: '#0f6b3a',
      },
      reply: { ...example, url: 'https://gw.example.com/connect/kq0cQ1mJ3kQO0m7b5o1sM2gqk3m8m5l1o2C3d4E5f6A' },
    },
  ],
})

export const listConnectLinks = local('account.listConnectLinks', 'GET /account/connect-links', {
  access: 'instances:read',
  isWithoutPlan: true,
  summary: 'List the connect links of the workspace, newest first',
  description: 'Ended links are listed for a week. Needs no plan.',
  input: {
    instance_id: uuid.optional().meta({ description: 'Only the links of this instance.' }),
    ...paging({ default: 20, max: 500 }),
  },
  reply: paged(ConnectLink),
  async handle({ parts, workspace }, { instance_id, ...query }) {
    const all = parts.connectLinks.list(workspace)
    const wanted = instance_id === undefined ? all : all.filter(({ instance }) => instance === instance_id)
    return pageOf(wanted, query, (link) => render(link, parts))
  },
  examples: [{ name: 'first page', input: { page: '1' }, reply: { data: [example], page: 1, page_size: 20, total: 1 } }],
})

export const renewConnectLink = local('account.renewConnectLink', 'POST /account/connect-links/{link_id}/renew', {
  access: 'instances:write',
  summary: 'Open a connect link for longer, or again',
  description:
    'The address stays the same. An expired link, and one whose instance was paired and is logged out again, are open from now on. Refused while an ' +
    'account is linked, and while messages wait in the queue of the instance.',
  input: { ...linkId, expires_in: expiresIn },
  reply: ConnectLink,
  errors: ['not_found', 'instance_already_connected', 'not_allowed', 'engine_unavailable'],
  handle: async ({ parts, workspace }, { link_id, expires_in }) =>
    render(await parts.connectLinks.renew(workspace, link_id, expires_in * SECOND), parts),
  examples: [
    {
      name: 'a week',
      input: { link_id: example.id, expires_in: 604_800 },
      reply: { ...example, expires_at: '2026-02-07T12:00:00.000Z' },
    },
  ],
})

export const revokeConnectLink = local('account.revokeConnectLink', 'DELETE /account/connect-links/{link_id}', {
  access: 'instances:write',
  isWithoutPlan: true,
  summary: 'Revoke a connect link',
  description:
    'Its address opens nothing from now on, and it is no longer listed. A pairing that was begun with it ends, with its QR code, phone code and passkey ' +
    'ticket; one that has already succeeded stays. Needs no plan.',
  input: linkId,
  reply: Done,
  errors: ['not_found'],
  async handle({ parts, workspace }, { link_id }) {
    await parts.connectLinks.revoke(workspace, link_id)
    return { value: true } as const
  },
  examples: [{ name: 'revoke', input: { link_id: example.id }, reply: { value: true } }],
})
