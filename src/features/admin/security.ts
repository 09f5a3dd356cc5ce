import { z } from 'zod'
import type { SecurityChange } from '../../account/account.ts'
import { local } from '../endpoint.ts'
import { displayText, plain } from '../fields.ts'
import type { AccountCall } from '../parts.ts'

const Security = z
  .object({
    require_api_key: z.boolean().meta({ description: 'Instance routes require an API key with `instances:operate`.' }),
    require_client_token: z
      .boolean()
      .meta({ description: 'Instance routes require this key in the header `Client-Token`, and only there.' }),
    ip_allowlist: z
      .object({
        enabled: z.boolean().meta({ description: 'Callers from other addresses get `ip_not_allowed`.' }),
        entries: z
          .array(
            z.object({
              cidr: z.string().meta({ description: 'Address or CIDR block, in the form that was given.' }),
              note: z.string().nullable().meta({ description: 'Description of the entry, for people.' }),
            }),
          )
          .meta({ description: 'Entries are kept while the list is disabled.' }),
      })
      .meta({ description: 'Addresses that may use instance routes, `/account` and `/mcp`.' }),
    operate_keys: z.int().meta({ description: 'Number of keys with `instances:operate`, including an imported client token.' }),
  })
  .meta({ id: 'Security' })

function render({ parts, workspace }: AccountCall) {
  const { requireApiKey, requireClientToken, allowlist } = parts.account.workspace(workspace).security
  return {
    require_api_key: requireApiKey,
    require_client_token: requireClientToken,
    ip_allowlist: {
      enabled: allowlist.enabled,
      entries: allowlist.entries.map(({ cidr, note }) => ({ cidr, note })),
    },
    operate_keys: parts.account.operateKeys(workspace),
  }
}

async function change(call: AccountCall, wish: SecurityChange) {
  await call.parts.account.changeSecurity(call.workspace, wish)
  return render(call)
}

const example = {
  require_api_key: false,
  require_client_token: false,
  ip_allowlist: { enabled: false, entries: [] },
  operate_keys: 1,
}

export const security = local('admin.security', 'GET /admin/security', {
  access: 'admin',
  summary: 'Read the security switches',
  reply: Security,
  handle: async (call) => render(call),
  examples: [{ name: 'everything off', reply: example }],
})

const switched = z.boolean().meta({ description: 'On or off.' })
const NEEDS_KEY =
  'Takes effect immediately for all instances of the workspace. Refused with `not_allowed` while no key has `instances:operate`.'

export const requireApiKey = local('admin.requireApiKey', 'PUT /admin/security/require-api-key', {
  access: 'admin',
  summary: 'Require an API key on instance routes, or stop requiring it',
  description: NEEDS_KEY,
  input: { value: switched },
  reply: Security,
  errors: ['not_allowed'],
  handle: async (call, { value }) => change(call, { requireApiKey: value }),
  examples: [{ name: 'on', input: { value: true }, reply: { ...example, require_api_key: true } }],
})

export const requireClientToken = local('admin.requireClientToken', 'PUT /admin/security/require-client-token', {
  access: 'admin',
  summary: 'Require Client-Token on instance routes, or stop requiring it',
  description: NEEDS_KEY,
  input: { value: switched },
  reply: Security,
  errors: ['not_allowed'],
  handle: async (call, { value }) => change(call, { requireClientToken: value }),
  examples: [{ name: 'on', input: { value: true }, reply: { ...example, require_client_token: true } }],
})

/** An entry of the allowlist. Whether `cidr` is a range is checked later. */
const Entry = z.object({
  cidr: plain(1, 43).meta({
    description: 'IPv4 or IPv6 address, or a CIDR block whose host bits are zero.',
    examples: ['203.0.113.0/24'],
  }),
  note: displayText(0, 100).nullable().default(null).meta({ description: 'Description of the entry, for people.' }),
})

export const ipAllowlist = local('admin.ipAllowlist', 'PUT /admin/security/ip-allowlist', {
  access: 'admin',
  summary: 'Restrict callers by IP address',
  description:
    'Applies immediately to instance routes, `/account` and `/mcp`, but not to `/admin`, so that a wrong list can be corrected. An IPv4 caller in ' +
    'IPv6 form counts as IPv4. Enabling an empty list is refused with `not_allowed`.',
  input: {
    enabled: z.boolean().meta({ description: 'Whether the list is enforced.' }),
    entries: z
      .array(Entry)
      .max(200)
      .optional()
      .meta({ description: 'Entries that replace the list; if omitted, the list stays.' }),
  },
  reply: Security,
  errors: ['not_allowed'],
  handle: async (call, allowlist) => change(call, { allowlist }),
  examples: [
    {
      name: 'an office',
      input: { enabled: true, entries: [{ cidr: '203.0.113.0/24', note: 'office' }] },
      reply: {
        ...example,
        ip_allowlist: { enabled: true, entries: [{ cidr: '203.0.113.0/24', note: 'office' }] },
      },
    },
  ],
})
