import { z } from 'zod'
import { ADMIN_KEY_PREFIX } from '../../domain/brand.ts'
import { iso } from '../../domain/clock.ts'
import { DIALECTS } from '../../domain/dialect.ts'
import { MAX_INSTANCE_SLOTS, SUBSCRIPTION_STATUSES, type Workspace as WorkspaceRecord } from '../../domain/workspace.ts'
import { atLeastOne } from '../changes.ts'
import { local } from '../endpoint.ts'
import { displayText, instant, integer, moment, oneOf } from '../fields.ts'
import { DIALECT_PAGE } from '../objects.ts'

const Subscription = z
  .object({
    status: z
      .enum(SUBSCRIPTION_STATUSES)
      .meta({ description: 'Status that was set. Passing time changes what is allowed, but not this field.' }),
    trial_ends_at: instant.nullable().meta({ description: 'End of the trial; null unless the status is `trial`.' }),
    due_at: instant.meta({ description: 'Time until which the plan is paid.' }),
    instance_slots: z.int().meta({ description: 'Number of instances that the plan allows.' }),
    instances_used: z.int().meta({ description: 'Number of instances that exist.' }),
  })
  .meta({ id: 'Subscription' })

const Workspace = z
  .object({
    id: z.string().meta({ description: 'UUID of the workspace.' }),
    name: z.string().meta({ description: 'Name of the workspace, as it was given.' }),
    created_at: instant.meta({ description: 'Time of creation.' }),
    subscription: Subscription,
    security: z
      .object({
        require_api_key: z.boolean().meta({ description: 'Instance routes require an API key.' }),
        require_client_token: z.boolean().meta({ description: 'Instance routes require `Client-Token`.' }),
        ip_allowlist_enabled: z.boolean().meta({ description: 'Callers from other addresses are refused.' }),
      })
      .meta({ description: 'Security switches; `GET /admin/security` has all settings.' }),
    dialect: z.enum(DIALECTS).nullable().meta({ description: 'Dialect of new instances, see their settings.' }),
  })
  .meta({ id: 'Workspace' })

const renderSubscription = ({ subscription, instancesUsed }: WorkspaceRecord) => ({
  status: subscription.status,
  trial_ends_at: subscription.trialEndsAt === null ? null : iso(subscription.trialEndsAt),
  due_at: iso(subscription.dueAt),
  instance_slots: subscription.instanceSlots,
  instances_used: instancesUsed,
})

const render = (workspace: WorkspaceRecord) => ({
  id: workspace.id,
  name: workspace.name,
  created_at: iso(workspace.createdAt),
  subscription: renderSubscription(workspace),
  security: {
    require_api_key: workspace.security.requireApiKey,
    require_client_token: workspace.security.requireClientToken,
    ip_allowlist_enabled: workspace.security.allowlist.enabled,
  },
  dialect: workspace.dialect,
})

const subscriptionExample = {
  status: 'active',
  trial_ends_at: null,
  due_at: '2036-01-01T00:00:00.000Z',
  instance_slots: 50,
  instances_used: 3,
}

const example = {
  id: '0d3f7a52-5b1c-4a6e-8b55-6d1f2c3e4a5b',
  name: 'default',
  created_at: '2026-01-01T00:00:00.000Z',
  subscription: subscriptionExample,
  security: { require_api_key: false, require_client_token: false, ip_allowlist_enabled: false },
  dialect: null,
}

export const workspace = local('admin.workspace', 'GET /admin/workspace', {
  access: 'admin',
  summary: 'Read the workspace of this admin key',
  reply: Workspace,
  handle: async ({ parts, workspace }) => render(parts.account.workspace(workspace)),
  examples: [{ name: 'the first one', reply: example }],
})

export const updateWorkspace = local('admin.updateWorkspace', 'PUT /admin/workspace', {
  access: 'admin',
  summary: 'Change the name of the workspace, and the dialect of new instances',
  description: 'Only the given fields change; at least one. Instances that exist keep their dialect.',
  input: {
    name: displayText(1, 100).optional().meta({ description: 'Need not be unique.' }),
    dialect: oneOf(DIALECTS)
      .nullable()
      .optional()
      .meta({ description: `Of new instances. ${DIALECT_PAGE}` }),
  },
  check: atLeastOne,
  reply: Workspace,
  async handle({ parts, workspace }, change) {
    await parts.account.update(workspace, change)
    return render(parts.account.workspace(workspace))
  },
  examples: [
    { name: 'rename', input: { name: 'Support team' }, reply: { ...example, name: 'Support team' } },
    { name: 'new instances speak a dialect', input: { dialect: 'zapi' }, reply: { ...example, dialect: 'zapi' } },
  ],
})

export const updateSubscription = local('admin.updateSubscription', 'PUT /admin/subscription', {
  access: 'admin',
  summary: 'Change the plan: status, dates, slots',
  description:
    'Only the given fields change; give at least one. With fewer slots than instances, existing instances stay and none can be created. Sessions are ' +
    'never stopped by the subscription.',
  input: {
    status: oneOf(SUBSCRIPTION_STATUSES)
      .optional()
      .meta({ description: 'Status and dates together decide what may be sent and whether the Account API answers.' }),
    trial_ends_at: moment
      .nullable()
      .optional()
      .meta({ description: 'End of the trial. Required with the status `trial`; any other status sets it to null.' }),
    due_at: moment.optional().meta({ description: 'Time until which the plan is paid.' }),
    instance_slots: integer(0, MAX_INSTANCE_SLOTS)
      .optional()
      .meta({ description: 'Number of slots. It may be less than the number of existing instances.' }),
  },
  check: atLeastOne,
  reply: Subscription,
  async handle({ parts, workspace }, { status, trial_ends_at, due_at, instance_slots }) {
    await parts.account.changeSubscription(workspace, {
      status,
      trialEndsAt: trial_ends_at,
      dueAt: due_at,
      instanceSlots: instance_slots,
    })
    return renderSubscription(parts.account.workspace(workspace))
  },
  examples: [
    {
      name: 'another year, more slots',
      input: { status: 'active', due_at: '2027-01-01T00:00:00.000Z', instance_slots: 100 },
      reply: { ...subscriptionExample, due_at: '2027-01-01T00:00:00.000Z', instance_slots: 100 },
    },
    {
      name: 'a trial',
      input: { status: 'trial', trial_ends_at: '2026-02-28T00:00:00.000Z' },
      reply: { ...subscriptionExample, status: 'trial', trial_ends_at: '2026-02-28T00:00:00.000Z' },
    },
  ],
})

export const rotateAdminKey = local('admin.rotateAdminKey', 'POST /admin/admin-key', {
  access: 'admin',
  summary: 'Create a new admin key',
  description:
    'Only this answer has `value`, because the service stores only its hash. The previous key stops working immediately. Refused with `not_allowed` where ' +
    '`SVC_ADMIN_KEY` is set: the environment owns that key.',
  input: {
    revoke_oauth: z.boolean().default(false).meta({ description: 'Also revokes every OAuth app of the workspace.' }),
  },
  reply: z.object({ value: z.string().meta({ description: 'The new admin key.' }) }),
  status: 201,
  errors: ['not_allowed'],
  handle: async ({ parts, workspace }, { revoke_oauth }) => ({
    value: await parts.account.rotateAdminKey(workspace, revoke_oauth ? () => parts.oauth.endOf({ workspace }) : undefined),
  }),
  examples: [
    {
      name: 'rotate',
      input: { revoke_oauth: false },
      reply: { value: `${ADMIN_KEY_PREFIX}4be0a7c5d2b80369c1f5a7e3b8d2460c4e1a95f7d3b69af3` },
    },
  ],
})
