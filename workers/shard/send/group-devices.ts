/**
 * Recipients of a message to a group, and the network's verdict on them. An ack with another hash or another addressing mode means that devices were
 * left out, error 421 that no device got it: the group's metadata and devices are queried again, and the message is sent once more under its id, with
 * the sender key for the devices that lacked it. If nothing was out of date it is not sent again, which would change nothing.
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

/** The group is addressed in another way now. */
const STALE_ADDRESSING = 421

/** Null for other chats, and where the devices cannot be determined: the message is sent without a hash then. */
export async function groupAudience({ ask, session, log }: Sender, to: string): Promise<GroupAudience | null> {
  if (chatKind(to) !== 'group') return null
  try {
    const group = session.groups.known(to) ?? (await ask.library(() => session.groups.get(to)))
    const own = ownName(group, session.me)
    const { hash } = await session.devices.ofGroup(group, own ?? '', async (members) => {
      // The library makes the same query right after, and finds the answer cached.
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
 * The group as the library is given it at a relay. Where each of its devices has the account's key it has no members: with them the library goes
 * through their lists of devices, and through those that have the key, for each text, only to find that there is nothing to do.
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

/** The account's device, as a message to the group names it. */
const ownName = (group: Group, me: Session['me']) => (addressingOf(group) === 'lid' ? (me?.lid ?? me?.id) : me?.id)

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
  sender.log.info({ changed: !isSame, refused: !verdict.ok }, 'the network reports different devices for a group')
  return isSame && verdict.ok ? null : fresh
}

function isStale({ hash, addressing }: GroupAudience, verdict: Verdict): boolean {
  if (!verdict.ok) return verdict.code === STALE_ADDRESSING
  const { phash = hash, addressingMode = addressing } = verdict
  return phash !== hash || addressingMode !== addressing
}
