/** Every twin by its operationId. The names are held against the declarations by the compiler. */
import type { RemoteKind } from '../../../src/features/endpoint.ts'
import { instance } from './instance.ts'
import { messages } from './messages.ts'
import { queue } from './queue.ts'
import type { Accepted, ActionContext, ControlContext, Names, Operations, SendContext } from './types.ts'

type Twin =
import { media } from './media.ts'
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
    { sendText: ['send', 'send.sendText'], readMessage: ['action', 'messages.readMessage'] },
    messages,
  ),
])
