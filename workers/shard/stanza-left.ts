/**
 * Kinds of stanzas that are known and not handled, each with its reason. They are confirmed where the network wants that, and
 * counted (`svc_stanzas_left_total`). The kinds are those of the specification of the web client (`test/unit/connection/server-kinds.json`).
 */
import { ACCOUNT_CHANGES } from './wire/account-notices.ts'
import type { Match } from './wire/match.ts'

export interface Left {
  of: Match
  why: string
}

const left = (tag: string, type: string | null, children: readonly (string | undefined)[], why: string): Left[] =>
  children.map((child) => ({
    of: { tag, ...(type === null ? {} : { attrs: { type } }), ...(child === undefined ? {} : { child }) },
    why,
  }))

/** Each change of the account is a child: a notice with one that is handled is not left alone for one before it that is not. */
const account = (children: readonly string[], why: string): Left[] =>
  left('notification', 'account_sync', children, why).map(({ of }) => ({ of: { ...of, without: ACCOUNT_CHANGES }, why }))

const ANY = [undefined] as const
const BUSINESS = 'business tools of the phone app, of which the API has none'
const META = 'of the other networks of Meta, which a gateway to WhatsApp does not speak'
const OWN_PHONE = 'shown by the phone app alone'

/** Before the rows of their types: a child decides. */
export const LEFT: readonly Left[] = [
  ...left('notification', 'encrypt', ['digest'], 'the library has its keys compared at each login'),
  ...left(
    'notification',
    'encrypt',
    ['groups'],
    'says in which groups somebody is known by another name; the pairs are learnt from its attributes elsewhere',
  ),
  ...left('notification', 'encrypt', ['pq_count'], 'one-time keys of a kind that the library has not yet (WIRE.md 28)'),
  ...account(['blocklist'], 'who is blocked is asked for when it is wanted'),
  ...account(
    ['picture', 'status', 'text_status'],
    'what the account shows of itself is asked for when it is wanted; of its new picture tells a notice of its own',
  ),
  ...account(['username'], 'the API names people by number and LID (WIRE.md 27)'),
  ...account(['notice', 'tos', 'user'], OWN_PHONE),
  ...account(['biz_opt_out_list'], BUSINESS),
  ...left('notification', 'contacts', ['add', 'remove', 'update', 'sync'], 'the address book comes as app state'),
  ...left('notification', 'picture', ['request', 'set_avatar'], 'no event tells of it'),
  ...left(
    'notification',
    'newsletter',
    ['live_updates'],
    'counts of reactions, votes and views, of which no event tells; posts, their edits and removals come as messages',
  ),
  ...left('notification', 'business', ANY, BUSINESS),
  ...left('notification', 'digital_commerce_subscription', ANY, BUSINESS),
  ...left('notification', 'hosted', ANY, BUSINESS),
  ...left('notification', 'pay', ANY, 'payments are made and shown by the phone app'),
  ...left(
    'notification',
    'disappearing_mode',
    ANY,
    'the default of somebody else for new chats; each message says what holds in its own',
  ),
  ...left('notification', 'status', ANY, 'the about text of somebody, which is asked for when it is wanted'),
  ...left('notification', 'registration', ANY, OWN_PHONE),
  ...left('notification', 'psa', ANY, OWN_PHONE),
  ...left('notification', 'w:growth', ANY, OWN_PHONE),
  ...left('notification', 'waffle', ANY, META),
  ...left('notification', 'fb:call', ANY, META),
  ...left('notification', 'fb:multiway', ANY, META),
  ...left('notification', 'fb:update', ANY, META),
  ...left('notification', 'fbid:devices', ANY, META),
  ...left('notification', 'fbid:thread', ANY, META),
  ...left('notification', 'server', ['log'], 'asks a client for its log, which stays here'),
  ...left('notification', 'server', ['abprops'], 'switches are read at each login'),
  ...left('receipt', 'server-error', ANY, 'the sender of a file is told by its own phone'),
  ...left('receipt', 'enc_rekey_retry', ANY, 'of calls, whose media keys a gateway has not'),
  ...left('receipt', 'played-self', ANY, 'another device of ours has played it: no event reports it'),
  ...left('receipt', 'view', ANY, 'views of a status go to its author alone'),
  ...left('receipt', 'peer_msg', ANY, 'confirms a message to the own phone, which answers by itself'),
  ...left('receipt', 'hist_sync', ANY, 'what we send ourselves when a part of the history is through'),
  ...left('status', null, ANY, 'status posts of channels, which no event reports'),
  ...left('appdata', null, ANY, 'between devices of one account, for what a gateway does not have'),
  ...left('error', null, ANY, 'a stanza of ours that the server could not read; the waiting request reports it'),
  ...left('xmlstreamend', null, ANY, 'the library ends the socket'),
  ...left('ib', null, ['edge_routing'], 'the library keeps it for the next connection'),
  ...left('ib', null, ['downgrade_webclient'], 'the library ends the socket'),
  ...left(
    'ib',
    null,
    ['thread_metadata', 'priority_offline_complete'],
    'which chats have something waiting: the queue comes by itself (WIRE.md 26)',
  ),
  ...left('ib', null, ['tos', 'spam', 'recovery_nonce'], OWN_PHONE),
]
