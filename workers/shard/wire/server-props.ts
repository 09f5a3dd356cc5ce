/**
 * Properties with which the network switches parts of the protocol. Pure.
 *
 *   <iq xmlns="abt" type="get"><props protocol="1" hash?/></iq>  → <props hash?><prop name value/>…</props>
 */
import { type BinaryNode, getBinaryNodeChild, reduceBinaryNodeToDictionary, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export interface ServerProps {
  /** Whether messages to a person contain the token that this person gave us. */
  privacyTokenOn1to1: boolean
  /** Whether queries for a person's picture contain the token that this person gave us. */
  profilePicPrivacyToken: boolean
  /** Whether our token is given to the LID instead of the number. */
  lidTrustedTokenIssueToLid: boolean
}

/** Values of the web client, which are used until the network has sent its own. */
export const INITIAL_PROPS: ServerProps = {
  privacyTokenOn1to1: true,
  profilePicPrivacyToken: true,
  lidTrustedTokenIssueToLid: false,
}

/**
 * Properties that the network sent, with the hash that it gave them. They are kept together: to a query with the hash
 * of properties that have not changed, the network answers without properties.
 */
export interface StoredProps {
  hash: string
  values: ServerProps
}

/** Number and name of each property, because the network sends one or the other. */
const NAMES: Readonly<Record<keyof ServerProps, readonly string[]>> = {
  privacyTokenOn1to1: ['10518', 'privacy_token_sending_on_all_1_on_1_messages'],
  profilePicPrivacyToken: ['9666', 'profile_scraping_privacy_token_in_photo_iq'],
  lidTrustedTokenIssueToLid: ['14303', 'lid_trusted_token_issue_to_lid'],
}

/**
 * Returns the stored properties, or undefined if one of them is missing: a release that reads one more property has to
 * query all of them again.
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
