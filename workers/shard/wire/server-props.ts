/**
 * Properties with which the network switches parts of the protocol.
 *
 *   <iq xmlns="abt" type="get"><props protocol="1" hash?/></iq>  → <props hash?><prop name value/>…</props>
 */
import { type BinaryNode, getBinaryNodeChild, reduceBinaryNodeToDictionary, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export interface ServerProps {
  /** Whether a message to a person contains the token that this person gave to the account. */
  privacyTokenOn1to1: boolean
  /** Whether a query for the picture of a person contains the token that this person gave to the account. */
  profilePicPrivacyToken: boolean
  /** Whether the account's token is given to the LID of a person instead of the number. */
  lidTrustedTokenIssueToLid: boolean
}

/** Values of the web client, which are used until the network has sent its own. */
export const INITIAL_PROPS: ServerProps = {
  privacyTokenOn1to1: true,
  profilePicPrivacyToken: true,
  lidTrustedTokenIssueToLid: false,
}

/**
 * Properties that the network sent, and the hash that it sent with them. They are stored together: if a query contains the hash and nothing has
 * changed, the answer contains no properties.
 */
export interface StoredProps {
  hash: string
  values: ServerProps
}

/** Number and name of each property. The network sends one of the two. */
const NAMES: Readonly<Record<keyof ServerProps, readonly string[]>> = {
  privacyTokenOn1to1: ['10518', 'privacy_token_sending_on_all_1_on_1_messages'],
  profilePicPrivacyToken: ['9666', 'profile_scraping_privacy_token_in_photo_iq'],
  lidTrustedTokenIssueToLid: ['14303', 'lid_trusted_token_issue_to_lid'],
}

/**
 * Returns the stored properties. Undefined if one is missing: after an update of the service that needs one more property, all must be queried again.
 */
export function completeProps(stored: StoredProps | undefined): StoredProps | undefined {
  const isComplete = stored !== undefined && Object.keys(INITIAL_PROPS).every((name) => name in stored.values)
  return isComplete ? stored : undefined
}

/** Builds the query for the properties. `hash`: the hash of the stored properties, if there are any. */
export const propsQuery = (hash: string | undefined): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, xmlns: 'abt', type: 'get' },
  content: [{ tag: 'props', attrs: { protocol: '1', ...(hash ? { hash } : {}) } }],
})

export function propsIn(answer: BinaryNode): { hash: string | undefined; props: Partial<ServerProps> } {
  const node = getBinaryNodeChild(answer, 'props')
  const sent: Record<string, string | undefined> = node ? reduceBinaryNodeToDictionary(node, 'prop') : {}
  const props = Object.entries(NAMES).flatMap(([prop, names]) => {
    const value = names.map((name) => sent[name]).find((found) => found !== undefined)
    return value === undefined ? [] : [[prop, value === 'true' || value === '1'] as const]
  })
  return { hash: node?.attrs.hash, props: Object.fromEntries(props) }
}
