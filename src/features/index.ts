/** The list of areas; nothing else registers anything. */
import * as account from './account.ts'
import * as admin from './admin.ts'
import type { Endpoint } from './endpoint.ts'
import * as instance from './instance.ts'
import * as media from './media.ts'
import * as messages from './messages.ts'
import * as queue from './queue.ts'
import * as status from './status.ts'
import * as system from './system.ts'
import * as webhooks from './webhooks.ts'

const areas = [instance, messages, media, status, queue, webhooks, account, admin, system]

const isEndpoint = (value: object): value is Endpoint => 'kind' in value && 'access' in value

export const endpoints: readonly Endpoint[] = areas.flatMap((area) => Object.values<object>(area).filter(isEndpoint))
