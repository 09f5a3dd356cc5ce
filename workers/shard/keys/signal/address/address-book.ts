/**
 * Maps a jid to the record of its keys. A person has a number and a LID, but there is only one session per device. So a
 * jid with a number resolves to the LID as soon as the pair is known.
 */
import { jidDecode, type SignalKeyStore, WAJIDDomains } from '@whiskeysockets/baileys'
import type { LIDMappingStore } from '@whiskeysockets/baileys/lib/Signal/lid-mapping.js'
import { HOSTED_DEVICE } from '../../../wire/jid.ts'
import { SignalError } from '../errors.ts'

export interface Address {
  name: string
  device: number
}

export const addressId = ({ name, device }: Address) => `${name}.${device}`

export function literalAddress(jid: string): Address {
  const { decoded, address } = decode(jid)
  if (address.device === HOSTED_DEVICE && decoded.server !== 'hosted' && decoded.server !== 'hosted.lid') {
    throw new SignalError('unreadable', `Unexpected non-hosted device JID with device 99. This ID seems invalid. ID:${jid}`)
  }
  return address
}

export interface AddressBook {
  /** Maps the number to the LID. Never queries the network, because the library has done so before. */
  resolve(jid: string): Promise<Address>
  /**
   * Returns the address without waiting: that of the LID if it is in memory, otherwise that of the jid as it is
   * written.
   */
  resolveNow(jid: string): Address
}

export function createAddressBook(keys: SignalKeyStore, mapping: LIDMappingStore): AddressBook {
  // During a send, a new pair is only in the library's cache and not yet on disk.
  const cachedLid = (user: string): unknown => mapping['mappingCache'].get(`pn:${user}`)

  function lidAddress(jid: string, lidUser: unknown): Address {
    const { decoded, address } = decode(jid)
    if (typeof lidUser !== 'string' || lidUser === '') return literalAddress(jid)
    const domain = decoded.domainType === WAJIDDomains.HOSTED ? WAJIDDomains.HOSTED_LID : WAJIDDomains.LID
    return { name: `${lidUser}_${domain}`, device: address.device }
  }

  return {
    async resolve(jid) {
      const { domainType, user } = decode(jid).decoded
      if (isLid(domainType)) return literalAddress(jid)
      return lidAddress(jid, cachedLid(user) ?? (await keys.get('lid-mapping', [user]))[user])
    },
    resolveNow(jid) {
      const { domainType, user } = decode(jid).decoded
      return isLid(domainType) ? literalAddress(jid) : lidAddress(jid, cachedLid(user))
    },
  }
}

const isLid = (domain: number | undefined): boolean => domain === WAJIDDomains.LID || domain === WAJIDDomains.HOSTED_LID

function decode(jid: string) {
  const decoded = jidDecode(jid)
  if (!decoded?.user) throw new SignalError('unreadable', `JID decoded but user is empty: "${jid}"`)
  const { user, domainType = WAJIDDomains.WHATSAPP, device = 0 } = decoded
  return { decoded, address: { name: domainType === WAJIDDomains.WHATSAPP ? user : `${user}_${domainType}`, device } }
}
