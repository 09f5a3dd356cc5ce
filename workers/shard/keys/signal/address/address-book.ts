/**
 * Maps a jid to the record of its keys. A person has a number and a LID, but there is only one session per device. So a
 * jid with a number resolves to the LID as soon as the pair is known.
 */
import { type SignalKeyStore, WAJIDDomains } from '@whiskeysockets/baileys'
import type { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { HOSTED_DEVICE, type JidParts, jidParts } from '../../../wire/jid.ts'
import { SignalError } from '../errors.ts'

export interface Address {
  name: string
  device: number
}

export const addressId = ({ name, device }: Address) => `${name}.${device}`

export const literalAddress = (jid: string): Address => literal(jid, decode(jid))

function literal(jid: string, { user, server, domainType, device = 0 }: JidParts): Address {
  if (device === HOSTED_DEVICE && server !== 'hosted' && server !== 'hosted.lid') {
    throw new SignalError('unreadable', `Unexpected non-hosted device JID with device 99. This ID seems invalid. ID:${jid}`)
  }
  return { name: domainType === WAJIDDomains.WHATSAPP ? user : `${user}_${domainType}`, device }
}

export interface AddressBook {
  /** Maps a number to its LID if the pair is known. Never queries the network. */
  resolve(jid: string): Promise<Address>
  /**
   * Returns the address without waiting: the address of the LID if it is in memory, otherwise that of the jid as it is
   * written.
   */
  resolveNow(jid: string): Address
}

export function createAddressBook(keys: SignalKeyStore, mapping: LIDMappingStore): AddressBook {
  // Reads Baileys' cache of pairs, so that most addresses are known without a read from disk.
  const cachedLid = (user: string): unknown => mapping['mappingCache'].get(`pn:${user}`)

  function lidAddress(jid: string, parts: JidParts, lidUser: unknown): Address {
    if (typeof lidUser !== 'string' || lidUser === '') return literal(jid, parts)
    const domain = parts.domainType === WAJIDDomains.HOSTED ? WAJIDDomains.HOSTED_LID : WAJIDDomains.LID
    return { name: `${lidUser}_${domain}`, device: parts.device ?? 0 }
  }

  return {
    async resolve(jid) {
      const parts = decode(jid)
      const { domainType, user } = parts
      if (isLid(domainType)) return literal(jid, parts)
      return lidAddress(jid, parts, cachedLid(user) ?? (await keys.get('lid-mapping', [user]))[user])
    },
    resolveNow(jid) {
      const parts = decode(jid)
      return isLid(parts.domainType) ? literal(jid, parts) : lidAddress(jid, parts, cachedLid(parts.user))
    },
  }
}

const isLid = (domain: number): boolean => domain === WAJIDDomains.LID || domain === WAJIDDomains.HOSTED_LID

function decode(jid: string): JidParts {
  const parts = jidParts(jid)
  if (!parts?.user) throw new SignalError('unreadable', `JID decoded but user is empty: "${jid}"`)
  return parts
}
