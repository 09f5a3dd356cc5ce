/**
 * Properties with which the network switches parts of the protocol.
 *
 *   <iq xmlns="abt" type="get"><props protocol="1" hash?/></iq>  → <props hash?><prop name value/>…</props>
 */
import { type BinaryNode, getBinaryNodeChild, reduceBinaryNodeToDictionary, S_WHATSAPP_NET } from '@whiskeysockets/baileys'

export interface ServerProps {
  privacyTokenOn1to1: boolean
  profilePicPrivacyToken: boolean
  lidTrustedTokenIssueToLid: boolean
}

/** Values of the web client, which are used until the network has sent its own. */
export const INITIAL_PROPS: ServerProps = {
  privacyTokenOn1to1: true,
  profilePicPrivacyToken: true,
  lidTrustedTokenIssueToLid: false,
}

/**
 * The properties and their hash are stored together: the network sends no properties if the hash in the query is that
 * of the current ones.
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

export function completeProps(stored: StoredProps | undefined): StoredProps | undefined {
  const isComplete = stored !== undefined && Object.keys(INITIAL_PROPS).every((name) => name in stored.values)
  return isComplete ? stored : undefined
}

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
