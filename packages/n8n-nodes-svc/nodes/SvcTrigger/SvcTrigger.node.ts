import type { IHookFunctions, INodeType, INodeTypeDescription, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow'
import { filterProperties } from '../../lib/event-filter.ts'
import { nodeErrorOf } from '../../lib/failures.ts'
import { isRegistered, register, unregister } from '../../lib/registration.ts'
import { receiveWebhook } from '../../lib/webhook-receiver.ts'

export class SvcTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'svc Trigger',
    name: 'svcTrigger',
    icon: { light: 'file:../../icons/svc.svg', dark: 'file:../../icons/svc.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter.events.join(", ") }}',
    description: 'Starts the workflow when svc reports an event by webhook',
    defaults: { name: 'svc Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'svcApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'svc' }],
    properties: [
      ...filterProperties,
      {
        displayName: 'Replace Receiver',
        name: 'replaceReceiver',
        type: 'boolean',
        default: false,
        description:
          'Whether to take over the events from another program that receives them. Its URL is put back when the trigger is deactivated.',
      },
    ],
  }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        try {
          return await isRegistered(this)
        } catch (error) {
          throw nodeErrorOf(this.getNode(), error)
        }
      },
      async create(this: IHookFunctions): Promise<boolean> {
        try {
          await register(this)
          return true
        } catch (error) {
          throw nodeErrorOf(this.getNode(), error)
        }
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        try {
          await unregister(this)
          return true
        } catch (error) {
          throw nodeErrorOf(this.getNode(), error)
        }
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receiveWebhook(this)
  }
}
