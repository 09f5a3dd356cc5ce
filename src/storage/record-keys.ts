/**
 * The whole key space on one page. `state:` is one ordered map; an instance's own records share the prefix `instance:<id>:`, so that
 * erasing an instance is one range.
 */
export const keys = {
  /** Sealed constant that shows whether the keys beside the store are its own (`key-ring.ts`). */
  keyRing: 'meta:key-ring',
  /** The same in a store of 0.1.0, under the secret key itself. */
  keyCheck: 'meta:key-check',
  /** Name of the socket on which the service that has this store answers. */
  owner: 'meta:owner',
  /** The web client version that the network accepts. */
  webVersion: 'meta:web-version',
  workspace: (workspace: string) => `workspace:${workspace}:self`,
  workspaces: 'workspace:',
  apiKey: (workspace: string, keyId: string) => `workspace:${workspace}:api-key:${keyId}`,

  /** Apps that were let in, and clients that registered to be. */
  oauthApp: (id: string) => `oauth:app:${id}`,
  oauthApps: 'oauth:app:',
  oauthClient: (id: string) => `oauth:client:${id}`,
  oauthClients: 'oauth:client:',

  instance: (id: string) => `instance:${id}:`,
  instances: 'instance:',
  /** Main's record: name, token, settings, webhooks. */
  config: (id: string) => `config:${id}`,
  configs: 'config:',
  /** A device from elsewhere that the service is to take over, by the id its instance will have: its credentials and, in slices, its keys. */
  import: (id: string) => `import:device:${id}`,
  imports: 'import:device:',
  importKeys: (id: string, slice: number): string => `${keys.importSlices(id)}${String(slice).padStart(6, '0')}`,
  importSlices: (id: string): string => `${keys.allImportSlices}${id}:`,
  allImportSlices: 'import:keys:',
  /** Why the service did not take it over, for the command that waits for the answer. */
  importRefusal: (id: string) => `import:refused:${id}`,
  importRefusals: 'import:refused:',

  /** An order of a command to the service, by the id of the instance, and the service's answer. */
  order: (id: string): string => `${keys.orders}${id}`,
  orders: 'order:given:',
  orderAnswer: (id: string): string => `${keys.orderAnswers}${id}`,
  orderAnswers: 'order:answer:',

  /** The shard's records. */
  runtime: (id: string) => `instance:${id}:runtime`,
  statusHistory: (id: string) => `instance:${id}:status-history`,
  creds: (id: string) => `instance:${id}:creds`,
  /** `keyId` blind, because it holds the numbers of people; of a one-time pre-key its number, 8 digits. */
  signal: (id: string, type: string, keyId: string) => `instance:${id}:key:${type}:${keyId}`,
  signals: (id: string, type?: string) => (type === undefined ? `instance:${id}:key:` : `instance:${id}:key:${type}:`),
  queueItem: (id: string, svcId: string) => `instance:${id}:queue:${svcId}`,
  queue: (id: string) => `instance:${id}:queue:`,
  /** Service id of the item whose network call has begun, `:`, tries that count against it; the next one's as soon as that is known, else absent. */
  queueInFlight: (id: string) => `instance:${id}:queue-in-flight`,
  /** Events that wait for delivery, by event id: ULIDs of one instance ascend, so key order is the order of the facts. */
  outboxEvent: (id: string, eventId: string) => `instance:${id}:outbox:${eventId}`,
  outbox: (id: string) => `instance:${id}:outbox:`,
  /** Bodies of events that failed at least once: they wait here, so that the events behind them go on. */
  parkedEvent: (id: string, eventId: string) => `instance:${id}:parked:${eventId}`,
  parked: (id: string) => `instance:${id}:parked:`,
  /** When a parked event is to be tried again, or erased: 13 digits of epoch ms sort as text until the year 2286. */
  due: (id: string, at: number, eventId: string) => `instance:${id}:due:${String(at).padStart(13, '0')}:${eventId}`,
  dues: (id: string) => `instance:${id}:due:`,
  /** Events for readers of a stream, by event id; and the event types that are read. */
  keptEvent: (id: string, eventId: string, type: string): string => `${keys.keptEvents(id)}${eventId}:${type}`,
  keptEvents: (id: string) => `instance:${id}:kept-event:`,
  eventInterest: (id: string) => `instance:${id}:event-interest`,
  /** Time of the last event of a chat, by its names, blind; and the latest of those that are not kept any more. */
  momment: (id: string, name: string) => `instance:${id}:momment:${name}`,
  times: (id: string) => `instance:${id}:momment:`,
  mommentFloor: (id: string) => `instance:${id}:momment-floor`,
  /** Delivery log, one row per event. */
  logEntry: (id: string, eventId: string) => `instance:${id}:log:${eventId}`,
  log: (id: string) => `instance:${id}:log:`,
  /** Events of the log that ended, by outcome and type; nothing is kept under these keys. And that all of them have one. */
  logEnded: (id: string, status: string, type: string, eventId: string): string =>
    `${keys.logEndedBy(id, status, type)}${eventId}`,
  logEndedBy: (id: string, status: string, type: string): string => `instance:${id}:log-ended:${status}:${type}:`,
  logIsIndexed: (id: string) => `instance:${id}:log-is-indexed`,
  /** Inbox: marks of what is done, those of a message in a record, in two generations, numbered; and parts that still wait. */
  mark: (id: string, generation: number, number: string) => `instance:${id}:seen:${generation}:${number}`,
  marks: (id: string, generation: number) => `instance:${id}:seen:${generation}:`,
  markGeneration: (id: string) => `instance:${id}:mark-generation`,
  journal: (id: string, key: string) => `instance:${id}:journal:${key}`,
  journals: (id: string) => `instance:${id}:journal:`,
  /** Journal records that ended the thread at every replay. */
  deadLetter: (id: string, key: string) => `instance:${id}:dead-letter:${key}`,
  deadLetters: (id: string) => `instance:${id}:dead-letter:`,
  /** Calls that ring: the facts of their offer, by the call's id, blind. */
  call: (id: string, callId: string) => `instance:${id}:call:${callId}`,
  calls: (id: string) => `instance:${id}:call:`,
  /** Messages that arrived and could not be read: reported after a while, unless the sender's retry is faster. */
  waiting: (id: string, mark: string) => `instance:${id}:waiting:${mark}`,
  waitings: (id: string) => `instance:${id}:waiting:`,
  /** Sent messages kept for retry receipts, at most 24 h. */
  sent: (id: string, messageId: string) => `instance:${id}:sent:${messageId}`,
  sents: (id: string) => `instance:${id}:sent:`,
  /** Ids of own channel posts among them, by channel and number, blind. */
  sentPost: (id: string, number: string) => `${keys.sentPosts(id)}${number}`,
  sentPosts: (id: string) => `instance:${id}:sent-post:`,
  /** Secrets that open votes, answers and edits: by term, start of the generation, blind hash of the message id (`generations.ts`). */
  secretsOf: (id: string, term: string) => `instance:${id}:message-secret:${term}:`,
  secrets: (id: string) => `instance:${id}:message-secret:`,
  /** Authors of messages and their chats: by kind, start of the generation, message id, blind (`authorship.ts`). */
  authorsOf: (id: string, kind: string) => `instance:${id}:author:${kind}:`,
  authors: (id: string) => `instance:${id}:author:`,
  /** Admins of a group, by its jid, blind. */
  groupRoles: (id: string, jid: string) => `${keys.groupRolesOf(id)}${jid}`,
  groupRolesOf: (id: string) => `instance:${id}:group-roles:`,
  /** A group with its members, by its jid, blind. */
  keptGroup: (id: string, jid: string) => `${keys.keptGroups(id)}${jid}`,
  keptGroups: (id: string) => `instance:${id}:group:`,
  /** Time at which the groups of the account were last read; the groups are in the directory. */
  groupList: (id: string) => `instance:${id}:group-list`,
  /** Time of the last automatic text to a caller, by their address, blind. */
  callAnswer: (id: string, caller: string) => `${keys.callAnswers(id)}${caller}`,
  callAnswers: (id: string) => `instance:${id}:call-answer:`,
  /** Last receipt value reported per message and participant, blind, by the week of writing: 5 digits of weeks sort as text until the year 3886. */
  receipt: (id: string, week: number, subject: string) => `${keys.receiptWeek(id, week)}${subject}`,
  receiptWeek: (id: string, week: number): string => `instance:${id}:receipt-level:${String(week).padStart(5, '0')}:`,
  receipts: (id: string) => `instance:${id}:receipt-level:`,
  /** Timeline of own messages, by the week of writing and the id, blind; the rest of the key separates the facts of one. */
  timelineFact: (id: string, week: number, subject: string, fact: string): string =>
    `${keys.timelineOf(id, week, subject)}${fact}`,
  timelineOf: (id: string, week: number, subject: string): string => `${keys.timelineWeek(id, week)}${subject}:`,
  timelineWeek: (id: string, week: number): string => `instance:${id}:timeline:${String(week).padStart(5, '0')}:`,
  timelines: (id: string) => `instance:${id}:timeline:`,
  /** People saved on the phone, by the user part of their address, blind. */
  savedContact: (id: string, user: string) => `instance:${id}:saved-contact:${user}`,
  savedContacts: (id: string) => `instance:${id}:saved-contact:`,
  /** Chats, people and labels of the account, many in a record: the number of the record, in hexadecimal digits. */
  directoryPart: (id: string, kind: string, part: number): string =>
    `${keys.directoryOf(id, kind)}${part.toString(16).padStart(3, '0')}`,
  directoryOf: (id: string, kind: string): string => `${keys.directory(id)}${kind}:`,
  directory: (id: string) => `instance:${id}:directory:`,
  /** The directory was kept from the pairing on; its value is the version that kept it. */
  directoryBegun: (id: string) => `instance:${id}:directory-begun`,
  /** Collections of app state in which a change of ours may stand whose outcome is not known. */
  openChange: (id: string, collection: string) => `${keys.openChanges(id)}${collection}`,
  openChanges: (id: string) => `instance:${id}:open-change:`,
  /** Expiry of a 1:1 chat that makes its messages disappear, by jid, blind. */
  disappearing: (id: string, jid: string) => `${keys.disappearings(id)}${jid}`,
  disappearings: (id: string) => `instance:${id}:disappearing:`,
  /** People who have ever written to the account, by jid, blind. */
  correspondent: (id: string, jid: string) => `instance:${id}:correspondent:${jid}`,
  correspondents: (id: string) => `instance:${id}:correspondent:`,
  /** Acknowledgements of sends that carried an idempotency key, by its blind hash, at most 24 h. */
  idempotency: (id: string, hash: string) => `instance:${id}:acknowledged:${hash}`,
  idempotencies: (id: string) => `instance:${id}:acknowledged:`,
  /** In `blobs:`, inline media of a queue item. */
  blob: (id: string, svcId: string) => `${id}:${svcId}`,
  blobs: (id: string) => `${id}:`,
} as const
