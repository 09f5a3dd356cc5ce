import { z } from 'zod'
import { atLeastOne, webhooksFields } from '../changes.ts'
import { local } from '../endpoint.ts'
import { Webhooks, webhooksExample } from '../objects.ts'
import { graceSeconds, Secret } from '../webhooks.ts'

export const getWebhooks = local('account.getWebhooks', 'GET /account/webhooks', {
  access: 'webhooks:read',
  summary: 'Read the webhooks with which new instances start',
  description: 'Includes the secret. An instance may have its own webhooks, which `GET …/me` shows.',
  reply: Webhooks,
  handle: async ({ parts, workspace }) => parts.account.workspace(workspace).webhooks,
  examples: [{ name: 'one receiver', reply: webhooksExample }],
})

const Updated = Webhooks.extend({
  instances_updated: z
    .int()
    .meta({ description: 'Number of instances in the workspace. Each of them now has the given fields.' }),
}).meta({ id: 'WorkspaceWebhooks' })

export const updateWebhooks = local('account.updateWebhooks', 'PUT /account/webhooks', {
  access: 'webhooks:write',
  summary: 'Change webhook URLs and filters of every instance',
  description:
    'Writes only the given fields, at least one, to every instance of the workspace and to the defaults of new instances. All of them ' +
    'change, or none: if a field conflicts with the settings of one instance, the request is refused and the issue names that instance.',
  input: webhooksFields,
  check: atLeastOne,
  reply: Updated,
  async handle({ parts, workspace }, change) {
    const updated = await parts.directory.updateWorkspaceWebhooks(workspace, change)
    return { ...parts.account.workspace(workspace).webhooks, instances_updated: updated }
  },
  examples: [
    {
      name: 'another receiver',
      input: { received_url: 'https://example.com/hook', delivery_url: 'https://example.com/hook' },
      reply: { ...webhooksExample, delivery_url: 'https://example.com/hook', instances_updated: 12 },
    },
  ],
})

export const rotateWebhookSecret = local('account.rotateWebhookSecret', 'POST /account/webhooks/secret', {
  access: 'webhooks:write',
  summary: 'Create a new signature secret for every instance',
  description:
    'It replaces the secret of the workspace and of all its instances, also of those that have their own. Every delivery attempt from ' +
    'then on is signed with it, including retries. For `grace_seconds` the previous secret of the instance also signs: its signature is a second `v1` in ' +
    'the same header.',
  input: { grace_seconds: graceSeconds },
  reply: Secret,
  status: 201,
  handle: async ({ parts, workspace }, { grace_seconds }) => ({
    secret: await parts.directory.rotateWorkspaceSecret(workspace, grace_seconds),
  }),
  examples: [{ name: 'rotate', input: { grace_seconds: 0 }, reply: { secret: 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL' } }],
})
