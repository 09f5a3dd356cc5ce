/** Categories of imported data: their names in the report, and the consequences if some of the data is not imported. */

export interface Category {
  type: string
  /** Noun for one, and for several. */
  nouns: readonly [one: string, several: string]
  /** Consequence if one could not be imported. */
  without: string
}

export const CATEGORIES = [
  {
    type: 'session',
    nouns: ['session with a device', 'sessions with devices'],
    without: 'The next message from each of these devices is asked for again once.',
  },
  {
    type: 'sender-key',
    nouns: ['key of a group author', 'keys of group authors'],
    without: 'The next group message of each of these authors is asked for again once; our own keys are made anew.',
  },
  {
    type: 'sender-key-memory',
    nouns: ['list of who has our group key', 'lists of who has our group key'],
    without: 'With the next message to these groups our key is sent to everybody again.',
  },
  {
    type: 'pre-key',
    nouns: ['one-time key', 'one-time keys'],
    without: 'A first message that was written with one of these is asked for again once.',
  },
  {
    type: 'identity-key',
    nouns: ['identity of a contact', 'identities of contacts'],
    without: 'They are learnt again with the next message.',
  },
  {
    type: 'app-state-sync-key',
    nouns: ['key of the account settings', 'keys of the account settings'],
    without: 'Labels, names and archived chats can be read once the phone has shared these keys again.',
  },
  {
    type: 'app-state-sync-version',
    nouns: ['version of the account settings', 'versions of the account settings'],
    without: 'Labels, names and archived chats are read anew after the first login.',
  },
  {
    type: 'lid-mapping',
    nouns: ['number of a hidden id', 'numbers of hidden ids'],
    without: 'They are learnt again; until then events may show the hidden id.',
  },
  {
    type: 'device-list',
    nouns: ['list of the devices of a person', 'lists of the devices of people'],
    without: 'They are asked for again.',
  },
  {
    type: 'tctoken',
    nouns: ['token of trust', 'tokens of trust'],
    without: 'The network may refuse the first message to these people until they write.',
  },
] as const satisfies readonly Category[]

export type CategoryType = (typeof CATEGORIES)[number]['type']

export interface Counted {
  found: number
  taken: number
  /** Number of imported entries that are stored in another form. */
  converted: number
  /** Number of unreadable entries. */
  unreadable: number
  /** Number of readable entries that are not imported by rule. */
  leftOut: number
}
