/** Categories of imported data: names in the report, and the consequences if some data is not imported. */

export interface Category {
  type: string
  nouns: readonly [one: string, several: string]
  without: string
}

export const CATEGORIES = [
  {
    type: 'session',
    nouns: ['session with a device', 'sessions with devices'],
    without: 'The service asks each of these devices once to send its next message again.',
  },
  {
    type: 'sender-key',
    nouns: ['key of a group author', 'keys of group authors'],
    without:
      'The service asks each of these authors once to send the next group message again. Keys for your own messages are made again.',
  },
  {
    type: 'sender-key-memory',
    nouns: ['list of devices that have your key of a group', 'lists of devices that have your keys of groups'],
    without: 'With the next message to these groups, the key is sent to all members again.',
  },
  {
    type: 'pre-key',
    nouns: ['one-time key', 'one-time keys'],
    without: 'If a contact uses one of these keys for a first message, the service asks once for this message again.',
  },
  {
    type: 'identity-key',
    nouns: ['identity of a contact', 'identities of contacts'],
    without: 'They are learned again with the next message.',
  },
  {
    type: 'app-state-sync-key',
    nouns: ['key of the account settings', 'keys of the account settings'],
    without: 'Labels, names and archived chats can be read once the phone has shared these keys again.',
  },
  {
    type: 'app-state-sync-version',
    nouns: ['version of the account settings', 'versions of the account settings'],
    without: 'Labels, names and archived chats are read again after the first login.',
  },
  {
    type: 'lid-mapping',
    nouns: ['phone number of a LID', 'phone numbers of LIDs'],
    without: 'They are learned again; until then events may show the LID in place of the number.',
  },
  {
    type: 'device-list',
    nouns: ['list of the devices of a person', 'lists of the devices of people'],
    without: 'They are requested again.',
  },
  {
    type: 'tctoken',
    nouns: ['trusted-contact token', 'trusted-contact tokens'],
    without: 'The network may refuse messages to these people until they write to the account.',
  },
] as const satisfies readonly Category[]

export type CategoryType = (typeof CATEGORIES)[number]['type']

export interface Counted {
  found: number
  taken: number
  converted: number
  unreadable: number
  leftOut: number
}
