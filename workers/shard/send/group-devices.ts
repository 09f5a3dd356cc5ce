/**
 * Determines the recipients of a message to a group, and handles the network's response about them. An ack with another
 * hash or another addressing mode means that devices were missing; error 421 means that no device received it. Then the
 * group's metadata and devices are queried again, and the message is sent once more with the same id, with the sender
 * key for the devices that lacked it. If nothing was outdated it is not sent again, because that would change nothing.
 */
import type { Group } from '../chats/group-cache.ts'
import type { Asker, Session } from '../chats/session.ts'
import type { Verdict } from '../connection/contract.ts'
import type { KeyHolders } from '../keys/key-holders.ts'
import { chatKind } from '../wire/jid.ts'
import { participantHash } from '../wire/phash.ts'
import type { SendContext } from './contract.ts'

export interface GroupAudience {
  hash: string
  addressing: 'lid' | 'pn'
}

type Sender = Asker & Pick<SendContext, 'log'>

/** The addressing of the group has changed. */
const STALE_ADDRESSING = 421

/**
 * Returns the audience of a message. Null for other chats, and if the devices cannot be determined; the message is then
 * sent without a hash.
 */
export async function groupAudience({ ask, session, log }: Sender, to: string): Promise<GroupAudience | null> {
  if (chatKind(to) !== 'group') return null
  try {
    const group = session.groups.known(to) ?? (await ask.library(() => session.groups.get(to)))
    const own = ownName(group, session.me)
    const { hash } = await session.devices.ofGroup(group, own ?? '', async (members) => {
      // The library makes the same query right afterwards, and finds the cached answer.
      const others = await ask.library((library) => library.getUSyncDevices(members, true, false))
      const jids = others.map(({ jid }) => jid)
      return { jids, hash: participantHash([...jids, ...(own ? [own] : [])]) }
    })
    const addressing = addressingOf(group)
    return hash === null ? null : { hash, addressing }
  } catch (error) {
    log.info({ err: error }, 'the devices of a group could not be determined')
    return null
  }
}

/**
 * Returns the group as passed to the library for a relay. If all its devices have the account's key, it has no members:
 * otherwise the library would scan their device lists, and those that have the key, for each text, without any result.
 */
export async function groupForRelay(
  { groups, devices, me }: Pick<Session, 'groups' | 'devices' | 'me'>,
  holders: Pick<KeyHolders, 'haveAll'>,
  jid: string,
): Promise<Group> {
  const relayed = await groups.forRelay(jid)
  const group = groups.known(jid)
  const known = group && devices.knownOfGroup(group, ownName(group, me) ?? '')
  return known && (await holders.haveAll(jid, known.jids)) ? { ...relayed, participants: [] } : relayed
}

const addressingOf = ({ addressingMode }: Pick<Group, 'addressingMode'>) => (addressingMode === 'pn' ? 'pn' : 'lid')

/** Returns the account's device in the form that a message to the group uses. */
const ownName = (group: Group, me: Session['me']) => (addressingOf(group) === 'lid' ? (me?.lid ?? me?.id) : me?.id)

/** Returns the audience to send to again. Null if no device was missing, or if the refusal has another reason. */
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
  sender.log.info(
    { changed: !isSame, refused: !verdict.ok },
    'the network has another list of members or devices of a group; the list was read again, and a changed one gets the message once more',
  )
  return isSame && verdict.ok ? null : fresh
}

function isStale({ hash, addressing }: GroupAudience, verdict: Verdict): boolean {
  if (!verdict.ok) return verdict.code === STALE_ADDRESSING
  const { phash = hash, addressingMode = addressing } = verdict
  return phash !== hash || addressingMode !== addressing
}
