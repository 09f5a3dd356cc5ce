/** The list of areas; nothing else registers anything. */
import * as account from './account.ts'
import * as actions from './actions.ts'
import * as admin from './admin.ts'
import * as commerce from './commerce.ts'
import * as contents from './contents.ts'
import type { Endpoint } from './endpoint.ts'
import * as events from './events.ts'
import * as instance from './instance.ts'
import * as interactive from './interactive.ts'
import * as media from './media.ts'
import * as mediaDownload from './media-download.ts'
import * as messages from './messages.ts'
import * as polls from './polls.ts'
import * as queue from './queue.ts'
import * as status from './status.ts'
import * as system from './system.ts'
import * as webhooks from './webhooks.ts'

const areas = [
  instance,
  messages,
  media,
  mediaDownload,
  contents,
  actions,
  polls,
  interactive,
  commerce,
  status,
  events,
  queue,
  webhooks,
  account,
  admin,
  system,
]

const isEndpoint = (value: object): value is Endpoint => 'kind' in value && 'access' in value

export const endpoints: readonly Endpoint[] = areas.flatMap((area) => Object.values<object>(area).filter(isEndpoint))
