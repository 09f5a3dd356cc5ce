import { z } from 'zod'
import { iso } from '../../domain/clock.ts'
import { SUBSCRIPTION_STATUSES } from '../../domain/workspace.ts'
import { atLeastOne, SettingsChange, WebhooksChange } from '../changes.ts'
import { local } from '../endpoint.ts'
import { Done, displayText, instant, name, oneOf, paged, paging, uuid } from '../fields.ts'
import { Instance, instanceExample } from '../objects.ts'

const byId = { instance_id: uuid.meta({ description: 'The instance.' }) }
const id = instanceExample.id

const ownSecret = z.boolean().optional().meta({
  description:
    'Signs with a new secret of its own, in place of the one that the workspace and its other instances share. Default: false.',
})

const NewWebhooks = WebhooksChange.extend({ own_secret: ownSecret }).meta({
  id: 'NewInstanceWebhooks',
  description: 'Omitted fields take the values of the workspace.',
})

export const createInstance = local('account.createInstance', 'POST /account/instances', {
  access: 'instances:write',
  summary: 'Create an instance',
  description:
    'Takes one slot of the plan and starts the session. The answer waits up to 10 s for the first QR code, so its status is normally `qr`. Omitted ' +
    'webhooks and an omitted `dialect` take the values of the workspace, other omitted settings the defaults.',
  input: {
    name: displayText(1, 100).meta({ description: 'Need not be unique.' }),
    webhooks: NewWebhooks.optional(),
    settings: SettingsChange.optional(),
  },
  reply: Instance,
  status: 201,
  errors: ['instance_limit_reached', 'engine_unavailable'],
  async handle({ parts, workspace, baseUrl }, wish) {
    return parts.directory.render(await parts.directory.create(workspace, wish), baseUrl)
  },
  examples: [
    {
      name: 'create',
      input: {
        name: 'Support BR',
        webhooks: { received_url: 'https://example.com/hook' },
        settings: { auto_read_message: true },
      },
      reply: {
        ...instanceExample,
        status: 'qr',
        status_reason: 'pairing_required',
        connected: false,
        phone: null,
        last_phone: null,
      },
    },
  ],
})

export const listInstances = local('account.listInstances', 'GET /account/instances', {
  access: 'instances:read',
  summary: 'List the instances of the workspace, newest first',
  input: {
    status: oneOf(['connected', 'disconnected'])
      .optional()
      .meta({ description: '`disconnected` selects every status other than `connected`.' }),
    q: name(1, 100).optional().meta({ description: 'Part of the name, id or number; upper and lower case are equal.' }),
    ...paging({ default: 20, max: 500 }),
  },
  reply: paged(Instance),
  async handle({ parts, workspace, baseUrl }, { page, page_size, status, q }) {
    const { ids, total } = parts.directory.list(workspace, { page, page_size, status, q })
    return { data: ids.map((instance) => parts.directory.render(instance, baseUrl)), page, page_size, total }
  },
  examples: [
    {
      name: 'connected ones',
      input: { status: 'connected', page: '1' },
      reply: { data: [instanceExample], page: 1, page_size: 20, total: 1 },
    },
  ],
})

export const getInstance = local('account.getInstance', 'GET /account/instances/{instance_id}', {
  access: 'instances:read',
  summary: 'Read an instance',
  input: byId,
  reply: Instance,
  errors: ['not_found'],
  handle: async ({ parts, workspace, baseUrl }, { instance_id }) =>
    parts.directory.render(parts.directory.find(workspace, instance_id), baseUrl),
  examples: [{ name: 'one', input: { instance_id: id }, reply: instanceExample }],
})

export const updateInstance = local('account.updateInstance', 'PUT /account/instances/{instance_id}', {
  access: 'instances:write',
  summary: 'Change name, webhooks or settings',
  description: 'Only the given fields change; at least one.',
  input: {
    ...byId,
    name: displayText(1, 100).optional().meta({ description: 'The new name.' }),
    webhooks: WebhooksChange.optional(),
    settings: SettingsChange.optional(),
  },
  check({ instance_id: _, ...change }, issue) {
    atLeastOne(change, issue)
    for (const part of ['webhooks', 'settings'] as const)
      if (change[part] !== undefined) atLeastOne(change[part], (_path, message) => issue(part, message))
  },
  reply: Instance,
  errors: ['not_found'],
  async handle({ parts, workspace, baseUrl }, { instance_id, ...change }) {
    const instance = parts.directory.find(workspace, instance_id)
    await parts.directory.update(instance, change, 'nested')
    return parts.directory.render(instance, baseUrl)
  },
  examples: [
    {
      name: 'rename, write slower',
      input: {
        instance_id: id,
        name: 'Support Brazil',
        settings: { delay_message_min_ms: 2000, delay_message_max_ms: 4000 },
      },
      reply: { ...instanceExample, name: 'Support Brazil' },
    },
  ],
})

export const deleteInstance = local('account.deleteInstance', 'DELETE /account/instances/{instance_id}', {
  access: 'instances:write',
  summary: 'Delete an instance',
  description:
    'Logs the device out (best effort, 5 s) and erases credentials, queue and undelivered webhooks. The slot is free immediately. An instance ' +
    'that is not connected, for example because it is paused, cannot tell the network, so the device must also be removed on the phone, under Linked ' +
    'devices.',
  input: byId,
  reply: Done,
  errors: ['not_found'],
  async handle({ parts, workspace }, { instance_id }) {
    await parts.directory.delete(parts.directory.find(workspace, instance_id))
    return { value: true } as const
  },
  examples: [{ name: 'delete', input: { instance_id: id }, reply: { value: true } }],
})

export const rotateToken = local('account.rotateToken', 'POST /account/instances/{instance_id}/rotate-token', {
  access: 'instances:write',
  summary: 'Create a new instance token',
  description: 'The previous token stops working immediately; the session continues.',
  input: byId,
  reply: z.object({ token: z.string() }),
  status: 201,
  errors: ['not_found'],
  handle: async ({ parts, workspace }, { instance_id }) => ({
    token: await parts.directory.rotateToken(parts.directory.find(workspace, instance_id)),
  }),
  examples: [
    { name: 'rotate', input: { instance_id: id }, reply: { token: '4be0a7c5d2b80369c1f5a7e3b8d2460c4e1a95f7d3b60821f' } },
  ],
})

const SHOWN = 500

const Plan = z
  .object({
    subscription_status: z
      .enum(SUBSCRIPTION_STATUSES)
      .meta({ description: 'Status that was set. Status and dates together decide what is allowed.' }),
    trial_ends_at: instant.nullable().meta({ description: 'End of the trial; null unless the status is `trial`.' }),
    due_at: instant.meta({ description: 'Time until which the plan is paid.' }),
    instance_slots: z.int().meta({ description: 'Number of instances that the plan allows.' }),
    instances_used: z.int().meta({ description: 'Number of instances that exist.' }),
    instances_available: z.int().meta({ description: 'Number of instances that can be created now.' }),
    instances: z
      .array(Instance.pick({ id: true, name: true, token: true, status: true }))
      .max(SHOWN)
      .meta({ description: `The ${SHOWN} newest; the complete list is \`GET /account/instances\`.` }),
  })
  .meta({ id: 'Plan' })

export const plan = local('account.plan', 'GET /account/plan', {
  access: 'instances:read',
  summary: 'Read the plan, its slots and the instances that use them',
  reply: Plan,
  async handle({ parts, workspace, baseUrl }) {
    const { subscription, instancesUsed } = parts.account.workspace(workspace)
    const { ids } = parts.directory.list(workspace, { page: 1, page_size: SHOWN })
    return {
      subscription_status: subscription.status,
      trial_ends_at: subscription.trialEndsAt === null ? null : iso(subscription.trialEndsAt),
      due_at: iso(subscription.dueAt),
      instance_slots: subscription.instanceSlots,
      instances_used: instancesUsed,
      // The difference can be negative, because a plan may be reduced to fewer slots than instances.
      instances_available: Math.max(0, subscription.instanceSlots - instancesUsed),
      instances: ids.map((instance) => {
        const { id, name, token, status } = parts.directory.render(instance, baseUrl)
        return { id, name, token, status }
      }),
    }
  },
  examples: [
    {
      name: 'nine slots left',
      reply: {
        subscription_status: 'active',
        trial_ends_at: null,
        due_at: '2026-12-31T23:59:59.000Z',
        instance_slots: 10,
        instances_used: 1,
        instances_available: 9,
        instances: [{ id, name: instanceExample.name, token: instanceExample.token, status: 'connected' }],
      },
    },
  ],
})
