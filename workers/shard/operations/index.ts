/** Every twin by its operationId. The names are held against the declarations by the compiler. */
import type { RemoteKind } from '../../../src/features/endpoint.ts'
import { actions } from './actions.ts'
import { commerce } from './commerce.ts'
import { contents } from './contents.ts'
import { events } from './events.ts'
import { instance } from './instance.ts'
import { interactive } from './interactive.ts'
import { media } from './media.ts'
import { messages } from './messages.ts'
import { polls } from './polls.ts'
import { queue } from './queue.ts'
import { askAgain } from './received-media.ts'
import { status } from './status.ts'
import type { Accepted, ActionContext, ControlContext, Names, Operations, SendContext } from './types.ts'

type Twin =
  | { kind: 'send'; run(context: SendContext, input: never): Promise<Accepted> }
  | { kind: 'action'; run(context: ActionContext, input: never): Promise<unknown> }
  | { kind: 'control'; run(context: ControlContext, input: never): Promise<unknown> }

function area<F>(names: Names<F>, twins: Operations<F>): [string, Twin][] {
  return Object.entries(names as Record<string, readonly [RemoteKind, string]>).map(([name, [kind, id]]) => {
    const run = (twins as Record<string, Twin['run']>)[name]
    return [id, { kind, run } as Twin]
  })
}

export const operations: ReadonlyMap<string, Twin> = new Map([
  ...area<typeof import('../../../src/features/instance.ts')>(
    {
      qrCode: ['control', 'instance.qrCode'],
      qrCodeImage: ['control', 'instance.qrCodeImage'],
      phoneCode: ['control', 'instance.phoneCode'],
      status: ['control', 'instance.status'],
      device: ['action', 'instance.device'],
      restart: ['control', 'instance.restart'],
      disconnect: ['control', 'instance.disconnect'],
    },
    instance,
  ),
  ...area<typeof import('../../../src/features/queue.ts')>(
    { list: ['control', 'queue.list'], clear: ['control', 'queue.clear'], remove: ['control', 'queue.remove'] },
    queue,
  ),
  ...area<typeof import('../../../src/features/media.ts')>(
    {
      sendImage: ['send', 'send.sendImage'],
      sendVideo: ['send', 'send.sendVideo'],
      sendAudio: ['send', 'send.sendAudio'],
      sendDocument: ['send', 'send.sendDocument'],
      sendSticker: ['send', 'send.sendSticker'],
      sendGif: ['send', 'send.sendGif'],
      sendPtv: ['send', 'send.sendPtv'],
    },
    media,
  ),
  ...area<typeof import('../../../src/features/messages.ts')>(
    {
      sendText: ['send', 'send.sendText'],
      readMessage: ['action', 'messages.readMessage'],
      sendPresence: ['action', 'messages.sendPresence'],
    },
    messages,
  ),
  ...area<typeof import('../../../src/features/interactive.ts')>(
    {
      sendButtonList: ['send', 'send.sendButtonList'],
      sendButtons: ['send', 'send.sendButtons'],
      sendButtonOtp: ['send', 'send.sendButtonOtp'],
      sendButtonPix: ['send', 'send.sendButtonPix'],
      sendOptionList: ['send', 'send.sendOptionList'],
      sendCarousel: ['send', 'send.sendCarousel'],
    },
    interactive,
  ),
  ...area<typeof import('../../../src/features/commerce.ts')>(
    {
      sendProduct: ['send', 'send.sendProduct'],
      sendCatalog: ['send', 'send.sendCatalog'],
      sendOrder: ['send', 'send.sendOrder'],
      orderStatusUpdate: ['send', 'send.orderStatusUpdate'],
    },
    commerce,
  ),
  ...area<typeof import('../../../src/features/contents.ts')>(
    {
      sendLink: ['send', 'send.sendLink'],
      sendLocation: ['send', 'send.sendLocation'],
      sendContact: ['send', 'send.sendContact'],
      sendContacts: ['send', 'send.sendContacts'],
      sendNewsletterAdminInvite: ['send', 'send.sendNewsletterAdminInvite'],
    },
    contents,
  ),
  ...area<typeof import('../../../src/features/actions.ts')>(
    {
      sendReaction: ['send', 'send.sendReaction'],
      removeReaction: ['send', 'send.removeReaction'],
      forwardMessage: ['send', 'send.forwardMessage'],
      pinMessage: ['send', 'send.pinMessage'],
      deleteMessage: ['send', 'send.deleteMessage'],
    },
    actions,
  ),
  ...area<typeof import('../../../src/features/polls.ts')>(
    { sendPoll: ['send', 'send.sendPoll'], sendPollVote: ['send', 'send.sendPollVote'] },
    polls,
  ),
  ...area<typeof import('../../../src/features/events.ts')>(
    {
      sendEvent: ['send', 'send.sendEvent'],
      sendEditEvent: ['send', 'send.sendEditEvent'],
      sendEventResponse: ['send', 'send.sendEventResponse'],
    },
    events,
  ),
  ...area<typeof import('../../../src/features/status.ts')>(
    {
      sendTextStatus: ['send', 'send.sendTextStatus'],
      sendImageStatus: ['send', 'send.sendImageStatus'],
      sendVideoStatus: ['send', 'send.sendVideoStatus'],
      replyStatusText: ['send', 'send.replyStatusText'],
      replyStatusGif: ['send', 'send.replyStatusGif'],
      replyStatusSticker: ['send', 'send.replyStatusSticker'],
    },
    status,
  ),
  // What reading a received file needs of the account; its route is `media.download`.
  ['media.askAgain', { kind: 'action', run: askAgain } as Twin],
  // The text after a rejected call: nobody calls it, its line shows it under this name.
  ['instance.callReject', { kind: 'send', run: messages.sendText } as Twin],
])
