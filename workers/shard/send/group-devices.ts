/**
 * Recipients of a message to a group, and the network's verdict on them. An ack with another hash or another addressing mode means that devices were
 * left out, error 421 that no device got it: the group's metadata and devices are queried again, and the message is sent once more under its id, with
 * the sender key for the devices that lacked it (WIRE.md 9). If nothing was out of date it is not sent again, which would change nothing.
 */
import type { Asker } from '../chats/session.ts'
import type { Verdict } from '../connection/session.ts'
import { chatKind } from '../wire/jid.ts'
import { participantHash } from '../wire/phash.ts'
import type { SendContext } from './contract.ts'

export interface GroupAudience {
  hash: string
  addressing: 'lid' | 'pn'
}

type Sender = Asker & Pick<SendContext, 'log'>

/** The group is addressed in another way now. */
const STALE_ADDRESSING = 421

/** Null for other chats, and where the devices cannot be determined: the message is sent without a hash then. */
export async function groupAudience({ ask, session, log }: Sender, to: string): Promise<GroupAudience | null> {
  if (chatKind(to) !== 'group') return null
  try {
    const group = session.groups.known(to) ?? (await ask.library(() => session.groups.get(to)))
    const addressing = group.addressingMode === 'pn' ? 'pn' : 'lid'
    const members = group.participants.map(({ id }) => id)
    const own = addressing === 'lid' ? (session.me?.lid ?? session.me?.id) : session.me?.id
    const hash = await session.devices.remembered(group, members, own ?? '', async () => {
      // The library makes the same query right after, and finds the answer cached.
      const others = await ask.library((library) => library.getUSyncDevices(members, true, false))
      return participantHash([...others.map(({ jid }) => jid), ...(own ? [own] : [])])
    })
    return hash === null ? null : { hash, addressing }
  } catch (error) {
    log.info({ err: error }, 'the devices of a group could not be told')
    return null
  }
}

/** Null: no device was left out, or the refusal has another reason. Otherwise the audience to send to. */
export async function missedAudience(
  sender: Sender,
  to: string,
  audience: GroupAudience,
  verdict: Verdict,
): Promise<GroupAudience | null> {
  if (!isStale(audience, verdict)) return null
  const { groups, devices, identity } = sender.session
  const before = groups.known(to)?.participants ?? []
  const { participants } = await sender.ask.library(() => groups.refresh(to))
  devices.drop([...before, ...participants].map(({ id }) => id))
  devices.drop(identity.own())
  const fresh = await groupAudience(sender, to)
  const isSame = fresh?.hash === audience.hash && fresh.addressing === audience.addressing
  sender.log.info({ changed: !isSame, refused: !verdict.ok }, 'the network knows other devices of a group')
  return isSame && verdict.ok ? null : fresh
}

function isStale({ hash, addressing }: GroupAudience, verdict: Verdict): boolean {
  if (!verdict.ok) return verdict.code === STALE_ADDRESSING
  const { phash = hash, addressingMode = addressing } = verdict
  return phash !== hash || addressingMode !== addressing
}
