/**
 * All keys of records. `state:` is a single ordered map. The records of an instance share the prefix `instance:<id>:`, so that erasing an instance
 * removes one range. A blind name (`sealer.ts`) replaces a phone number, an address (jid) or a message id in a key, so that the keys reveal nothing.
 */
export const keys = {
  /** Encrypted constant that shows whether the keys beside the store belong to it (`key-ring.ts`). */
  keyRing: 'meta:key-ring',
  /** Name of the socket of the service that owns this store. */
  owner: 'meta:owner',
  /**
   * Mark that contains the place to which this store was moved. The next keys are the marks of an unfinished and of a finished copy (`moving/marks.ts`).
   */
  storeMoved: 'meta:moved',
  storeCopying: 'meta:copying',
  storeCopied: 'meta:copied',
  /** Web client version that the network accepts. */
  webVersion: 'meta:web-version',
  /** Numbers of the service for its charts, by window and number of the page; the pages form a ring. */
  chartPage: (window: string, page: number): string => `${keys.chartPages(window)}${String(page).padStart(3, '0')}`,
  chartPages: (window: string) => `chart:${window}:`,
  workspace: (workspace: string) => `workspace:${workspace}:self`,
  workspaces: 'workspace:',
  apiKey: (workspace: string, keyId: string) => `workspace:${workspace}:api-key:${keyId}`,

  /** OAuth apps, and registered clients. */
  oauthApp: (id: string) => `oauth:app:${id}`,
  oauthApps: 'oauth:app:',
  oauthClient: (id: string) => `oauth:client:${id}`,
  oauthClients: 'oauth:client:',

  /** Links to the page on which a customer pairs an instance. */
  connectLink: (id: string) => `connect-link:${id}`,
  connectLinks: 'connect-link:',

  instance: (id: string) => `instance:${id}:`,
  instances: 'instance:',
  /** Configuration record of an instance, which the main thread writes: name, token, settings, webhooks. */
  config: (id: string) => `config:${id}`,
  configs: 'config:',
  /**
   * Imported device from which the service will create an instance, by the id of that instance. The device consists of its credentials and, in
   * slices, its keys.
   */
  import: (id: string) => `import:device:${id}`,
  imports: 'import:device:',
  importKeys: (id: string, slice: number): string => `${keys.importSlices(id)}${String(slice).padStart(6, '0')}`,
  importSlices: (id: string): string => `${keys.allImportSlices}${id}:`,
  allImportSlices: 'import:keys:',
  /** Reason why the service refused an imported device. The command that imported it waits for this record. */
  importRefusal: (id: string) => `import:refused:${id}`,
  importRefusals: 'import:refused:',

  /** Order of a CLI command to the running service, by the id of the instance. The next key contains the answer. */
  order: (id: string): string => `${keys.orders}${id}`,
  orders: 'order:given:',
  orderAnswer: (id: string): string => `${keys.orderAnswers}${id}`,
  orderAnswers: 'order:answer:',

  /** State of the instance, which its shard writes. */
  runtime: (id: string) => `instance:${id}:runtime`,
  statusHistory: (id: string) => `instance:${id}:status-history`,
  creds: (id: string) => `instance:${id}:creds`,
  /** Archive or folder into which the command `instance export` moved the instance. */
  movedTo: (id: string) => `instance:${id}:moved-to`,
  /**
   * Key of the Signal protocol. `keyId` is blind, because it can contain a phone number; a one-time pre-key has its
   * number in 8 digits instead.
   */
  signal: (id: string, type: string, keyId: string) => `instance:${id}:key:${type}:${keyId}`,
  signals: (id: string, type?: string) => (type === undefined ? `instance:${id}:key:` : `instance:${id}:key:${type}:`),
  queueItem: (id: string, svcId: string) => `instance:${id}:queue:${svcId}`,
  queue: (id: string) => `instance:${id}:queue:`,
  /**
   * Item of the queue that is being sent: its id, `:`, and the number of its attempts. When the item has ended and the next item is known, the record
   * is changed to the next item. If no item is known, the record is removed.
   */
  queueInFlight: (id: string) => `instance:${id}:queue-in-flight`,
  /** Time for which waiting items were held, which does not count in their age. */
  queueHeldTimes: (id: string) => `instance:${id}:queue-held-times`,
  /** Budgets of first contacts that were used up, and when this was reported. */
  toldBudgets: (id: string) => `instance:${id}:told-budgets`,
  /** Events that wait for delivery, by event id. ULIDs of one instance ascend, so key order is the order of the events. */
  outboxEvent: (id: string, eventId: string) => `instance:${id}:outbox:${eventId}`,
  outbox: (id: string) => `instance:${id}:outbox:`,
  /** Bodies of events that failed at least once. They are parked here, so that later events can continue. */
  parkedEvent: (id: string, eventId: string) => `instance:${id}:parked:${eventId}`,
  parked: (id: string) => `instance:${id}:parked:`,
  /** Time at which a parked event is retried or erased: with 13 digits of epoch ms, the order as text is the order in time until the year 2286. */
  due: (id: string, at: number, eventId: string) => `instance:${id}:due:${String(at).padStart(13, '0')}:${eventId}`,
  dues: (id: string) => `instance:${id}:due:`,
  /** Events for stream readers, by event id. The next key contains the event types that are read. */
  keptEvent: (id: string, eventId: string, type: string): string => `${keys.keptEvents(id)}${eventId}:${type}`,
  keptEvents: (id: string) => `instance:${id}:kept-event:`,
  eventInterest: (id: string) => `instance:${id}:event-interest`,
  /**
   * Time of the last event of a chat, by the blind name of its address. The next key contains the latest time of the events that are no longer
   * stored.
   */
  momment: (id: string, name: string) => `instance:${id}:momment:${name}`,
  times: (id: string) => `instance:${id}:momment:`,
  mommentFloor: (id: string) => `instance:${id}:momment-floor`,
  /** Numbers of messages and deliveries per hour, a record for each of the last eight days; the days form a ring. */
  activityDay: (id: string, day: number): string => `${keys.activity(id)}${day}`,
  activity: (id: string) => `instance:${id}:activity:`,
  /** Webhook log, one row per event. */
  logEntry: (id: string, eventId: string) => `instance:${id}:log:${eventId}`,
  log: (id: string) => `instance:${id}:log:`,
  /** Index of ended events by outcome and type, without a value; next, a mark that the index contains all ended events. */
  logEnded: (id: string, status: string, type: string, eventId: string): string =>
    `${keys.logEndedBy(id, status, type)}${eventId}`,
  logEndedBy: (id: string, status: string, type: string): string => `instance:${id}:log-ended:${status}:${type}:`,
  /** Link to a received file that is not copied to the bucket yet, by the id of its event and its number there. */
  mediaCopy: (id: string, eventId: string, index: number): string => `${keys.mediaCopies(id)}${eventId}-${index}`,
  mediaCopies: (id: string) => `instance:${id}:media-copy:`,
  /**
   * Inbox: marks of processed messages. A record contains several marks, and there are two numbered generations of records. The next key is for parts
   * of messages that still wait for the others.
   */
  mark: (id: string, generation: number, number: string) => `instance:${id}:seen:${generation}:${number}`,
  marks: (id: string, generation: number) => `instance:${id}:seen:${generation}:`,
  markGeneration: (id: string) => `instance:${id}:mark-generation`,
  journal: (id: string, key: string) => `instance:${id}:journal:${key}`,
  journals: (id: string) => `instance:${id}:journal:`,
  /** Records of the journal of received messages that were put aside, because their messages cannot be processed or because all replays failed. */
  deadLetter: (id: string, key: string) => `instance:${id}:dead-letter:${key}`,
  deadLetters: (id: string) => `instance:${id}:dead-letter:`,
  /** Ringing calls: the data of the call's offer, by the blind name (`sealer.ts`) of the call id. */
  call: (id: string, callId: string) => `instance:${id}:call:${callId}`,
  calls: (id: string) => `instance:${id}:call:`,
  /** Messages that arrived and could not be decrypted. They are reported after a while, unless a retry of the sender arrives first. */
  waiting: (id: string, mark: string) => `instance:${id}:waiting:${mark}`,
  waitings: (id: string) => `instance:${id}:waiting:`,
  /** Sent messages that are stored for retry receipts, at most 24 h. */
  sent: (id: string, messageId: string) => `instance:${id}:sent:${messageId}`,
  sents: (id: string) => `instance:${id}:sent:`,
  /** Ids of the account's channel posts among the sent messages, by channel and by the blind name (`sealer.ts`) of the post's number. */
  sentPost: (id: string, number: string) => `${keys.sentPosts(id)}${number}`,
  sentPosts: (id: string) => `instance:${id}:sent-post:`,
  /**
   * Secrets that decrypt votes, answers and edits: by term, start of the generation (`generations.ts`), and blind name (`sealer.ts`) of the message
   * id.
   */
  secretsOf: (id: string, term: string) => `instance:${id}:message-secret:${term}:`,
  secrets: (id: string) => `instance:${id}:message-secret:`,
  /** Authors of messages and their chats: by kind, start of the generation, and blind name (`sealer.ts`) of the message id (`authorship.ts`). */
  authorsOf: (id: string, kind: string) => `instance:${id}:author:${kind}:`,
  authors: (id: string) => `instance:${id}:author:`,
  /** Admins of a group, by the blind name (`sealer.ts`) of its jid. */
  groupRoles: (id: string, jid: string) => `${keys.groupRolesOf(id)}${jid}`,
  groupRolesOf: (id: string) => `instance:${id}:group-roles:`,
  /** A group with its members, by the blind name (`sealer.ts`) of its jid. */
  keptGroup: (id: string, jid: string) => `${keys.keptGroups(id)}${jid}`,
  keptGroups: (id: string) => `instance:${id}:group:`,
  /** Time at which the groups of the account were last read; the groups themselves are in the directory. */
  groupList: (id: string) => `instance:${id}:group-list`,
  /** Time of the last automatic text to a caller, by the blind name (`sealer.ts`) of the caller's address. */
  callAnswer: (id: string, caller: string) => `${keys.callAnswers(id)}${caller}`,
  callAnswers: (id: string) => `instance:${id}:call-answer:`,
  /**
   * Last reported receipt per message and participant: by the week in which it was written, and a blind name (`sealer.ts`) for both. With 5 digits,
   * the order of weeks as text is the order in time until the year 3886.
   */
  receipt: (id: string, week: number, subject: string) => `${keys.receiptWeek(id, week)}${subject}`,
  receiptWeek: (id: string, week: number): string => `instance:${id}:receipt-level:${String(week).padStart(5, '0')}:`,
  receipts: (id: string) => `instance:${id}:receipt-level:`,
  /**
   * Timeline of the account's messages: by the week in which the fact was written, and the blind name (`sealer.ts`) of the message; the rest of the
   * key distinguishes the facts of one message.
   */
  timelineFact: (id: string, week: number, subject: string, fact: string): string =>
    `${keys.timelineOf(id, week, subject)}${fact}`,
  timelineOf: (id: string, week: number, subject: string): string => `${keys.timelineWeek(id, week)}${subject}:`,
  timelineWeek: (id: string, week: number): string => `instance:${id}:timeline:${String(week).padStart(5, '0')}:`,
  timelines: (id: string) => `instance:${id}:timeline:`,
  /** People saved on the phone, by the blind name (`sealer.ts`) of the user part of their address. */
  savedContact: (id: string, user: string) => `instance:${id}:saved-contact:${user}`,
  savedContacts: (id: string) => `instance:${id}:saved-contact:`,
  /** Chats, people and labels of the account, many per record; the key has the number of the record in hexadecimal digits. */
  directoryPart: (id: string, kind: string, part: number): string =>
    `${keys.directoryOf(id, kind)}${part.toString(16).padStart(3, '0')}`,
  directoryOf: (id: string, kind: string): string => `${keys.directory(id)}${kind}:`,
  directory: (id: string) => `instance:${id}:directory:`,
  /** Mark that the directory of the account was recorded from the pairing on. The value is the version of the records. */
  directoryBegun: (id: string) => `instance:${id}:directory-begun`,
  /** Collections of app state for which the account sent a change whose outcome is not known. */
  openChange: (id: string, collection: string) => `${keys.openChanges(id)}${collection}`,
  openChanges: (id: string) => `instance:${id}:open-change:`,
  /** Message timer of a 1:1 chat, by the blind name (`sealer.ts`) of its jid. */
  disappearing: (id: string, jid: string) => `${keys.disappearings(id)}${jid}`,
  disappearings: (id: string) => `instance:${id}:disappearing:`,
  /** People who have ever written to the account, by the blind name (`sealer.ts`) of their jid. */
  correspondent: (id: string, jid: string) => `instance:${id}:correspondent:${jid}`,
  correspondents: (id: string) => `instance:${id}:correspondent:`,
  /** Acknowledgements of sends with an idempotency key, by the blind name (`sealer.ts`) of that key, at most 24 h. */
  idempotency: (id: string, hash: string) => `instance:${id}:acknowledged:${hash}`,
  idempotencies: (id: string) => `instance:${id}:acknowledged:`,
  /** Inline media of a queue item. The key is in `blobs:`, not in `state:`. */
  blob: (id: string, svcId: string) => `${id}:${svcId}`,
  blobs: (id: string) => `${id}:`,
} as const

/** Keys of records about a store itself. These records differ between two stores with the same data, and exist even in a store without data. */
export const keysOfStore: ReadonlySet<string> = new Set([keys.owner, keys.storeMoved, keys.storeCopying, keys.storeCopied])
