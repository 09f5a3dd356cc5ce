/**
 * The rights of a dashboard session. The admin key may do everything; an API key may do what its scopes allow now. The
 * server checks this table before each operation, and the page when a button is pressed or a page is opened. An
 * operation that is not in the table needs the admin key.
 */
import type { Scope } from './workspace.ts'

export interface Right {
  page: string
  /** Completes the sentence "The key may …". */
  may: string
  /** Scopes that the key needs besides `OPENING_SCOPE`; null if only the admin key has this right. */
  scopes: readonly Scope[] | null
  operations: readonly string[]
}

export const OPENING_SCOPE: Scope = 'instances:read'

const SENDS = [
  'contacts.exists',
  'send.sendText',
  'send.sendAudio',
  'send.sendDocument',
  'send.sendGif',
  'send.sendImage',
  'send.sendPtv',
  'send.sendSticker',
  'send.sendVideo',
  'send.sendContact',
  'send.sendContacts',
  'send.sendLink',
  'send.sendLocation',
  'send.sendNewsletterAdminInvite',
  'send.forwardMessage',
  'send.pinMessage',
  'send.removeReaction',
  'send.sendReaction',
  'send.sendPoll',
  'send.sendPollVote',
  'send.sendButtonList',
  'send.sendButtonOtp',
  'send.sendButtonPix',
  'send.sendButtons',
  'send.sendCarousel',
  'send.sendOptionList',
  'send.orderStatusUpdate',
  'send.sendCatalog',
  'send.sendOrder',
  'send.sendProduct',
  'send.replyStatusGif',
  'send.replyStatusSticker',
  'send.replyStatusText',
  'send.sendImageStatus',
  'send.sendTextStatus',
  'send.sendVideoStatus',
  'send.sendEditEvent',
  'send.sendEvent',
  'send.sendEventResponse',
] as const

export const RIGHTS = {
  'instances.see': {
    page: 'Instances',
    may: 'see the instances, their state and their settings',
    scopes: [],
    operations: [
      'dashboard.instances',
      'dashboard.history',
      'dashboard.activity',
      'account.listInstances',
      'account.getInstance',
      'account.listConnectLinks',
      'queue.sendSafety',
    ],
  },
  'instances.pair': {
    page: 'Instances',
    may: 'pair an instance with a phone, restart it, pause and resume it',
    scopes: ['instances:operate'],
    operations: [
      'instance.qrCode',
      'instance.phoneCode',
      'instance.restart',
      'instance.pause',
      'instance.resume',
      'instance.passkey',
      'instance.passkeyResponse',
      'instance.passkeyConfirm',
      'instance.passkeyTicket',
    ],
  },
  'instances.send': {
    page: 'Instances',
    may: 'send a message',
    scopes: ['instances:operate'],
    operations: SENDS,
  },
  'instances.create': {
    page: 'Instances',
    may: 'create an instance',
    scopes: ['instances:write'],
    operations: ['account.createInstance'],
  },
  'instances.change': {
    page: 'Instances',
    may: 'change the name and the settings of an instance',
    scopes: ['instances:write'],
    operations: ['instance.rename', 'instance.updateSettings'],
  },
  'instances.link': {
    page: 'Instances',
    may: 'make, renew and revoke connect links',
    scopes: ['instances:write'],
    operations: ['account.createConnectLink', 'account.renewConnectLink', 'account.revokeConnectLink'],
  },
  'instances.token': {
    page: 'Instances',
    may: 'see and rotate the token of an instance',
    scopes: ['instances:write'],
    operations: ['account.rotateToken'],
  },
  'instances.disconnect': {
    page: 'Instances',
    may: 'disconnect an instance from its phone',
    scopes: ['instances:operate', 'instances:write'],
    operations: ['instance.disconnect'],
  },
  'instances.delete': {
    page: 'Instances',
    may: 'delete an instance',
    scopes: ['instances:write'],
    operations: ['account.deleteInstance'],
  },
  'instances.move': {
    page: 'Instances',
    may: 'export and import an instance',
    scopes: null,
    operations: ['admin.exportInstance', 'admin.importInstance', 'admin.resumeInstance'],
  },
  'queue.see': {
    page: 'Queue',
    may: 'see the messages that wait, with how they begin',
    scopes: ['instances:operate'],
    operations: ['queue.list'],
  },
  'queue.remove': {
    page: 'Queue',
    may: 'remove messages from the queue',
    scopes: ['instances:operate', 'instances:write'],
    operations: ['queue.remove', 'queue.clear'],
  },
  'webhooks.see': {
    page: 'Webhooks',
    may: 'see the webhook URLs and their secret',
    scopes: ['webhooks:read'],
    operations: [],
  },
  'webhooks.change': {
    page: 'Webhooks',
    may: 'change and test the webhooks, and rotate their secret',
    scopes: ['webhooks:read', 'webhooks:write'],
    operations: ['webhooks.update', 'webhooks.test', 'webhooks.rotateSecret'],
  },
  'messages.see': {
    page: 'Messages',
    may: 'see the newest messages, with their people, without their content',
    scopes: ['instances:operate'],
    operations: ['dashboard.messages'],
  },
  'messages.read': {
    page: 'Messages',
    may: 'read the content of a message',
    scopes: null,
    operations: ['dashboard.messageBody'],
  },
  'events.watch': {
    page: 'Live events',
    may: 'see the events of an instance as they happen, which are private messages',
    scopes: null,
    operations: ['webhooks.events'],
  },
  'timeline.see': {
    page: 'Message timeline',
    may: 'see the timeline of a message, without its content',
    scopes: [],
    operations: ['dashboard.timeline'],
  },
  'log.see': {
    page: 'Webhook log',
    may: 'see the events and the attempts to deliver them',
    scopes: ['webhooks:read'],
    operations: ['admin.webhookLog', 'dashboard.logEntry'],
  },
  'log.resend': {
    page: 'Webhook log',
    may: 'send events again',
    scopes: ['webhooks:read', 'webhooks:write'],
    operations: ['admin.resendWebhook', 'admin.resendWebhooks', 'admin.replayWebhooks'],
  },
  'log.body': {
    page: 'Webhook log',
    may: 'see the body of an event, which is a private message',
    scopes: null,
    operations: ['dashboard.logBody'],
  },
  'log.answers': {
    page: 'Webhook log',
    may: 'see and search what receivers answered, which may repeat private messages',
    scopes: null,
    operations: [],
  },
  'usage.see': {
    page: 'Usage',
    may: 'see what each instance costs',
    scopes: [],
    operations: ['account.usage'],
  },
  'access.manage': {
    page: 'Keys and access',
    may: 'see and change keys, requirements, the plan and sessions',
    scopes: null,
    operations: [
      'admin.createApiKey',
      'admin.listApiKeys',
      'admin.importClientToken',
      'admin.updateApiKey',
      'admin.revokeApiKey',
      'admin.workspace',
      'admin.updateWorkspace',
      'admin.updateSubscription',
      'admin.rotateAdminKey',
      'admin.security',
      'admin.requireApiKey',
      'admin.requireClientToken',
      'admin.ipAllowlist',
      'dashboard.allowlistCheck',
    ],
  },
  'health.see': {
    page: 'Health',
    may: 'see the health of the service, which serves all workspaces, and, in the first workspace, hand over to a standby',
    scopes: null,
    operations: ['dashboard.health', 'admin.listNodes', 'admin.drainNode'],
  },
  'sandbox.use': {
    page: 'Sandbox',
    may: 'use the simulated network',
    scopes: null,
    operations: [],
  },
} as const satisfies Record<string, Right>

export type RightName = keyof typeof RIGHTS

/**
 * Fields of answers, at any depth, each with the right that a key needs to see it. A key without this right sees the
 * field only if it is a number.
 */
export const SECRET_FIELDS: Readonly<Record<string, RightName>> = {
  token: 'instances.token',
  api_url: 'instances.token',
  webhooks: 'webhooks.see',
  secret: 'webhooks.see',
  correspondent: 'messages.see',
  last_response_body: 'log.answers',
  receiver_answer: 'log.answers',
}

const OF_ENTRY = { phone: 'messages.see', message_id: 'messages.see' } as const

/**
 * Fields of answers, by operation and at any depth, each with the right that a key needs. The field is null for a key
 * without this right.
 */
export const BLANKED_FIELDS: Readonly<Record<string, Readonly<Record<string, RightName>>>> = {
  'admin.webhookLog': OF_ENTRY,
  'admin.resendWebhook': OF_ENTRY,
  'dashboard.logEntry': OF_ENTRY,
}

const rows: Readonly<Record<RightName, Right>> = RIGHTS
const byOperation = new Map(
  (Object.keys(rows) as RightName[]).flatMap((name) => rows[name].operations.map((operation) => [operation, name] as const)),
)

export const rightOf = (operation: string): RightName | undefined => byOperation.get(operation)

/**
 * Returns what a session lacks for a right; undefined if it lacks nothing. `scopes` are those of the API key, or null
 * for the admin key.
 */
export function lackOf(scopes: readonly Scope[] | null, right: RightName | undefined): Scope | 'admin key' | undefined {
  if (scopes === null) return undefined
  const needed = right === undefined ? null : rows[right].scopes
  if (needed === null) return 'admin key'
  return [OPENING_SCOPE, ...needed].find((scope) => !scopes.includes(scope))
}

export const lackSentence = (lack: Scope | 'admin key'): string =>
  lack === 'admin key' ? 'Only the admin key may do this.' : `The API key lacks the scope ${lack}.`
