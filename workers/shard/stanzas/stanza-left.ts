/**
 * Kinds of stanzas that are known and not processed, each with the reason. They are confirmed if the network requires
 * it, and counted (`svc_stanzas_left_total`).
 */
import { ACCOUNT_CHANGES } from '../wire/account-notices.ts'
import type { Match } from '../wire/match.ts'

export interface Left {
  of: Match
  why: string
}

const left = (tag: string, type: string | null, children: readonly (string | undefined)[], why: string): Left[] =>
  children.map((child) => ({
    of: { tag, ...(type === null ? {} : { attrs: { type } }), ...(child === undefined ? {} : { child }) },
    why,
  }))

/**
 * Returns rows for changes of the account. A stanza with several changes matches only if none of its changes is
 * processed.
 */
const account = (children: readonly string[], why: string): Left[] =>
  left('notification', 'account_sync', children, why).map(({ of }) => ({ of: { ...of, without: ACCOUNT_CHANGES }, why }))

const ANY = [undefined] as const
const BUSINESS = 'business tools of the phone app that the API does not offer'
const META = 'belongs to other networks of Meta, which a WhatsApp gateway does not speak'
const OWN_PHONE = 'only the phone app shows it'

/**
 * If a type has a row without a child, its rows with children must come first, because that row would match their
 * stanzas, too.
 */
export const LEFT: readonly Left[] = [
  ...left('notification', 'encrypt', ['digest'], 'the keys are compared at each login'),
  ...left(
    'notification',
    'encrypt',
    ['groups'],
    'lists groups in which a person has a second identifier; the pairs are read from other stanzas',
  ),
  ...left('notification', 'encrypt', ['pq_count'], 'concerns a kind of one-time key that the library does not have yet'),
  ...account(['blocklist'], 'the list of blocked people is requested when an operation needs it'),
  ...account(
    ['picture', 'status', 'text_status'],
    'the profile is requested when an operation needs it; a new picture has a notification of its own',
  ),
  ...account(['username'], 'the API identifies people by number and LID only'),
  ...account(['notice', 'tos', 'user'], OWN_PHONE),
  ...account(['biz_opt_out_list'], BUSINESS),
  ...left('notification', 'contacts', ['add', 'remove', 'update', 'sync'], 'the address book arrives as app state'),
  ...left('notification', 'picture', ['request', 'set_avatar'], 'no event reports it'),
  ...left(
    'notification',
    'newsletter',
    ['live_updates'],
    'counts of reactions, votes and views, which no event reports; posts, edits and removals arrive as messages',
  ),
  ...left('notification', 'business', ANY, BUSINESS),
  ...left('notification', 'digital_commerce_subscription', ANY, BUSINESS),
  ...left('notification', 'hosted', ANY, BUSINESS),
  ...left('notification', 'pay', ANY, 'only the phone app makes and shows payments'),
  ...left(
    'notification',
    'disappearing_mode',
    ANY,
    "another person's default for new chats; each message carries the value for its own chat",
  ),
  ...left('notification', 'status', ANY, "a person's about text, which is requested when an operation needs it"),
  ...left('notification', 'registration', ANY, OWN_PHONE),
  ...left('notification', 'psa', ANY, OWN_PHONE),
  ...left('notification', 'w:growth', ANY, OWN_PHONE),
  ...left('notification', 'waffle', ANY, META),
  ...left('notification', 'fb:call', ANY, META),
  ...left('notification', 'fb:multiway', ANY, META),
  ...left('notification', 'fb:update', ANY, META),
  ...left('notification', 'fbid:devices', ANY, META),
  ...left('notification', 'fbid:thread', ANY, META),
  ...left('notification', 'server', ['log'], 'asks a client for its log; this service does not send its log'),
  ...left('notification', 'server', ['abprops'], 'feature switches are read at each login'),
  ...left('receipt', 'server-error', ANY, "the phone of the file's sender handles it"),
  ...left('receipt', 'enc_rekey_retry', ANY, 'concerns the media of calls, for which a gateway has no keys'),
  ...left('receipt', 'played-self', ANY, 'another device of the account played the message; no event reports it'),
  ...left('receipt', 'view', ANY, 'only the author of a status sees its views'),
  ...left('receipt', 'peer_msg', ANY, "confirms a message to the account's own phone, which answers by itself"),
  ...left('receipt', 'hist_sync', ANY, 'sent by the account itself when a part of the history is finished'),
  ...left('status', null, ANY, 'status posts of channels, which no event reports'),
  ...left('appdata', null, ANY, 'between devices of one account, about features that a gateway does not have'),
  ...left('error', null, ANY, 'the server could not read a stanza of this service; the waiting request reports it'),
  ...left('xmlstreamend', null, ANY, 'the library closes the socket'),
  ...left('ib', null, ['edge_routing'], 'the library keeps it for the next connection'),
  ...left('ib', null, ['downgrade_webclient'], 'the library closes the socket'),
  ...left(
    'ib',
    null,
    ['thread_metadata', 'priority_offline_complete'],
    'lists chats with waiting messages; the messages arrive without a request',
  ),
  ...left('ib', null, ['tos', 'spam', 'recovery_nonce'], OWN_PHONE),
]
