/**
 * Determines the devices that receive a message to a group. If an ack has another hash or addressing mode than the
 * message, devices were missing. The code 421 means that no device received the message. In both cases the devices are
 * queried again, and the message may be sent once more.
 */

import type { Asker } from '../chats/session.ts'
import type { Verdict } from '../connection/contract.ts'
import { addressingOf } from '../connection/relay/recipient-devices.ts'
import type { Group } from '../wire/groups.ts'
import type { SendContext } from './contract.ts'

export interface GroupAudience {
  hash: string
  addressing: 'lid' | 'pn'
}

type Sender = Asker & Pick<SendContext, 'log'>

/** Ack code: the group has changed from numbers to LIDs, or back. */
const STALE_ADDRESSING = 421

/** Null if the devices cannot be determined: the message is then sent without a hash. */
export async function groupAudience({ session, log }: Sender, group: Group): Promise<GroupAudience | null> {
  try {
    const { hash } = await session.devicesOfGroup(group)
    return hash === null ? null : { hash, addressing: addressingOf(group) }
  } catch (error) {
    log.info({ err: error }, 'the devices of a group could not be determined')
    return null
  }
}

/**
 * Reads the group again if devices were missing, and returns its current members and devices. Null if no device was
 * missing, if the refusal has another reason, or if the devices cannot be determined.
 */
export async function missedAudience(
  sender: Sender,
  to: string,
  audience: GroupAudience,
  verdict: Verdict,
): Promise<{ group: Group; audience: GroupAudience } | null> {
  if (!isStale(audience, verdict)) return null
  const { groups, devices, identity } = sender.session
  const before = groups.known(to)?.participants ?? []
  const group = await sender.ask.run(() => groups.refresh(to))
  devices.drop([...before, ...group.participants].map(({ id }) => id))
  devices.drop(identity.own())
  const fresh = await groupAudience(sender, group)
  const isSame = fresh?.hash === audience.hash && fresh.addressing === audience.addressing
  sender.log.info(
    { changed: !isSame, refused: !verdict.ok },
    'the network has another list of members or devices of a group; the list was read again, and a changed one gets the message once more',
  )
  return fresh === null || (isSame && verdict.ok) ? null : { group, audience: fresh }
}

function isStale({ hash, addressing }: GroupAudience, verdict: Verdict): boolean {
  if (!verdict.ok) return verdict.code === STALE_ADDRESSING
  const { phash = hash, addressingMode = addressing } = verdict
  return phash !== hash || addressingMode !== addressing
}
