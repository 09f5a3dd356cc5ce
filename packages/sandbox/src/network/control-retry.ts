import { ControlError } from '../control/control-error.ts'
import type { RetryInput } from '../control/schemas/messages.ts'
import { findKnown } from './control-people.ts'
import { sendRetry } from './deliver.ts'
import type { Network, Person } from './model.ts'
import { jidOf } from './people.ts'

export function retryByControl(
  network: Network,
  person: Person,
  { to, id, chat, device: number, count, keys, times }: RetryInput,
) {
  const device = person.devices[number]
  const account = findKnown(network, to)
  if (!device || account.companions.size === 0) throw new ControlError('not_found', 'nobody asks, or nobody is asked')
  const where = chat ?? jidOf(account, network.settings.addressing)
  for (const companion of account.companions.values())
    for (let n = 0; n < times; n++)
      sendRetry(network, device, companion, { id: times === 1 ? id : `${id}${n}`, chat: where, count, keys })
}
