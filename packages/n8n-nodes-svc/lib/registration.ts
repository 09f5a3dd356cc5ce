/**
 * Registers the URL of a trigger in the webhook settings of the instance, which contain one URL per type of event.
 *
 * The settings apply to the whole instance, so only the URLs of the chosen types are changed. A URL that somebody else
 * has set is only replaced if the user of the trigger asks for this. A replaced URL is restored when the trigger is
 * deactivated.
 */
import type { IHookFunctions } from 'n8n-workflow'
import { NodeOperationError } from 'n8n-workflow'
import type { components } from '../../client/src/generated/schema.ts'
import type { CallOptions } from '../../client/src/request.ts'
import { type Connection, connect } from './connection.ts'

type Me = Pick<components['schemas']['Instance'], 'webhooks' | 'settings'>
type UrlField = 'received_url' | 'delivery_url' | 'message_status_url' | 'instance_status_url' | 'chat_presence_url'
type Urls = Partial<Record<UrlField, string | null>>

/**
 * Data that n8n stores for a registered trigger. If a person tests the trigger in the editor, n8n stores separate data
 * for this test.
 */
interface Remembered {
  replaced?: Urls
  isTest?: boolean
}

const URL_FIELDS: readonly UrlField[] = [
  'received_url',
  'delivery_url',
  'message_status_url',
  'instance_status_url',
  'chat_presence_url',
]

export const instanceOf = (svc: Connection, options: CallOptions = {}) => svc.call('instance.me', {}, options) as Promise<Me>

const chosenFields = (node: IHookFunctions) =>
  (node.getNodeParameter('events') as string[]).map((type) => `${type}_url` as UrlField)
const ownUrl = (node: IHookFunctions) => node.getNodeWebhookUrl('default') as string

/** Returns whether all chosen types, and no others, have the URL of this trigger. */
export async function isRegistered(node: IHookFunctions): Promise<boolean> {
  const { webhooks } = await instanceOf(await connect(node))
  const chosen = chosenFields(node)
  return URL_FIELDS.every((field) => (webhooks[field] === ownUrl(node)) === chosen.includes(field))
}

export async function register(node: IHookFunctions): Promise<void> {
  const svc = await connect(node)
  const { webhooks, settings } = await instanceOf(svc)
  if (settings.dialect !== null)
    throw new NodeOperationError(
      node.getNode(),
      `This instance sends webhooks in the form of another gateway (${settings.dialect})`,
      {
        description: "Use the node 'svc Stream Trigger', or set `dialect` of the instance to null.",
      },
    )
  const [url, chosen] = [ownUrl(node), chosenFields(node)]
  refuseOthers(node, Object.fromEntries(chosen.map((field) => [field, webhooks[field]])), url)
  const data = node.getWorkflowStaticData('node') as Remembered
  // n8n says only at the registration whether the trigger is tested in the editor. `unregister` needs this fact later.
  data.isTest = node.getMode() === 'manual'
  const toPutBack = (field: UrlField) => (isOwn(webhooks[field], url, data) ? data.replaced?.[field] : webhooks[field]) ?? null
  data.replaced = { ...data.replaced, ...Object.fromEntries(chosen.map((field) => [field, toPutBack(field)])) }
  await svc.call('webhooks.update', Object.fromEntries(chosen.map((field) => [field, url])))
}

/**
 * Returns whether this trigger has set the URL. The active trigger also counts the URL of its own test, at which n8n
 * answers only during the test. A test does not count the URL of the active trigger, because it must restore that URL.
 */
const isOwn = (set: string | null, url: string, { isTest }: Remembered) =>
  set !== null && (set === url || (isTest !== true && isSameTrigger(set, url)))

/** Throws if one of the types has the URL of another receiver. */
function refuseOthers(node: IHookFunctions, before: Urls, url: string): void {
  if (node.getNodeParameter('replaceReceiver', false) === true) return
  const taken = Object.entries(before).filter(([, set]) => set && !isSameTrigger(set, url))
  if (taken.length === 0) return
  const receivers = [...new Set(taken.map(([, set]) => new URL(set as string).host))].join(', ')
  throw new NodeOperationError(node.getNode(), `Another program receives these events of the instance: ${receivers}`, {
    description: `${taken.map(([field]) => field).join(', ')} is set. Choose 'Replace Receiver' to take over until this trigger is deactivated, or use the node 'svc Stream Trigger', which can be used beside it.`,
  })
}

/**
 * Returns whether both URLs belong to the same trigger. The test URL and the production URL of a trigger have the same
 * origin and the same end. A copy of the workflow in another n8n has the same end, but another origin.
 */
const isSameTrigger = (one: string, other: string) => identityOf(one) === identityOf(other)
function identityOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return [origin, ...pathname.split('/').slice(-2)].join('/')
}

/** Removes the URL of this trigger from the settings, and restores the URLs that it has replaced. */
export async function unregister(node: IHookFunctions): Promise<void> {
  const svc = await connect(node)
  const { webhooks } = await instanceOf(svc)
  const data = node.getWorkflowStaticData('node') as Remembered
  const own = URL_FIELDS.filter((field) => isOwn(webhooks[field], ownUrl(node), data))
  if (own.length > 0)
    await svc.call('webhooks.update', Object.fromEntries(own.map((field) => [field, data.replaced?.[field] ?? null])))
  delete data.replaced
  delete data.isTest
}
