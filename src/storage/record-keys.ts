/**
 * All keys of records. The records of an instance, apart from its configuration, share the prefix `instance:<id>:`, so
 * that its deletion removes one range. Keys contain hashes in place of phone numbers, addresses and message ids. Only
 * `sent` contains the id itself, because this service made it.
 */
export const keys = {
  /** Encrypted constant that shows whether the keys of the store belong to its records. */
  keyRing: 'meta:key-ring',
  /** Name of the socket of the service that owns this store. */
  owner: 'meta:owner',
  storeMoved: 'meta:moved',
  storeCopying: 'meta:copying',
  storeCopied: 'meta:copied',
  /** Web client version that the network accepts. */
  webVersion: 'meta:web-version',
  /** Page of numbers for the charts. `of` is the member of a cluster to which the numbers belong. */
  chartPage: (window: string, page: number, of?: string): string =>
    `${keys.chartPages(window, of)}${String(page).padStart(3, '0')}`,
  chartPages: (window: string, of?: string): string => `${keys.charts}${of === undefined ? '' : `${of}:`}${window}:`,
  charts: 'chart:',
  workspace: (workspace: string) => `workspace:${workspace}:self`,
  workspaces: 'workspace:',
  apiKey: (workspace: string, keyId: string) => `workspace:${workspace}:api-key:${keyId}`,

  /** Session of the dashboard, by the hash of its cookie. */
  dashboardSession: (hash: string) => `dashboard-session:${hash}`,
  dashboardSessions: 'dashboard-session:',

  apiKeyUses: 'use:api-key:',
  oauthAppUses: 'use:oauth-app:',
  oauthApp: (id: string) => `oauth:app:${id}`,
  oauthApps: 'oauth:app:',
  oauthClient: (id: string) => `oauth:client:${id}`,
  oauthClients: 'oauth:client:',
  /** Consent pages that are open, and codes that may be redeemed. Each key ends with the hash of the secret. */
  oauthConsents: 'oauth:consent:',
  oauthCodes: 'oauth:code:',

  /** Ticket of a browser extension, by its hash. */
  passkeyTicket: (hash: string) => `passkey-ticket:${hash}`,
  passkeyTickets: 'passkey-ticket:',

  connectLink: (id: string) => `connect-link:${id}`,
  connectLinks: 'connect-link:',

  instance: (id: string) => `instance:${id}:`,
  instances: 'instance:',
  /** Configuration of an instance, which the main thread writes: name, token, settings, webhooks. */
  config: (id: string) => `config:${id}`,
  configs: 'config:',
  /** Imported device from which the service will create an instance: its credentials and, in slices, its keys. */
  import: (id: string) => `import:device:${id}`,
  imports: 'import:device:',
  importKeys: (id: string, slice: number): string => `${keys.importSlices(id)}${String(slice).padStart(6, '0')}`,
  importSlices: (id: string): string => `${keys.allImportSlices}${id}:`,
  allImportSlices: 'import:keys:',
  /** Why the service refused an imported device. The command that imported it waits for this record. */
  importRefusal: (id: string) => `import:refused:${id}`,
  importRefusals: 'import:refused:',

  order: (id: string): string => `${keys.orders}${id}`,
  orders: 'order:given:',
  orderAnswer: (id: string): string => `${keys.orderAnswers}${id}`,
  orderAnswers: 'order:answer:',

  runtime: (id: string) => `instance:${id}:runtime`,
  statusHistory: (id: string) => `instance:${id}:status-history`,
  creds: (id: string) => `instance:${id}:creds`,
  /** Archive or folder into which the command `instance export` moved the instance. */
  movedTo: (id: string) => `instance:${id}:moved-to`,
  /**
   * `keyId` is a hash, because the id of a Signal key can contain a phone number. For a one-time pre-key, it is the
   * number of the key in 8 digits.
   */
  signal: (id: string, type: string, keyId: string) => `instance:${id}:key:${type}:${keyId}`,
  signals: (id: string, type?: string) => (type === undefined ? `instance:${id}:key:` : `instance:${id}:key:${type}:`),
  queueItem: (id: string, svcId: string) => `instance:${id}:queue:${svcId}`,
  queue: (id: string) => `instance:${id}:queue:`,
  /** Queue item that is being sent or is sent next, with the number of its attempts. Removed if there is none. */
  queueInFlight: (id: string) => `instance:${id}:queue-in-flight`,
  /** Time for which send safety held items back. It does not count in the age of the items. */
  queueHeldTimes: (id: string) => `instance:${id}:queue-held-times`,
  /** Budgets for first contacts that were used up, and when this was reported. */
  toldBudgets: (id: string) => `instance:${id}:told-budgets`,
  /** Events that wait for delivery. Event ids ascend, so key order is their order. */
  outboxEvent: (id: string, eventId: string) => `instance:${id}:outbox:${eventId}`,
  outbox: (id: string) => `instance:${id}:outbox:`,
  /**
   * Bodies of events that failed at least once, or for which no webhook URL is configured now. They are stored
   * separately, so that later events can continue.
   */
  parkedEvent: (id: string, eventId: string) => `instance:${id}:parked:${eventId}`,
  parked: (id: string) => `instance:${id}:parked:`,
  /**
   * Time at which the event is retried, or its body is removed. With 13 digits of epoch ms, the order as text is the
   * order in time until the year 2286.
   */
  due: (id: string, at: number, eventId: string) => `instance:${id}:due:${String(at).padStart(13, '0')}:${eventId}`,
  dues: (id: string) => `instance:${id}:due:`,
  keptEvent: (id: string, eventId: string, type: string): string => `${keys.keptEvents(id)}${eventId}:${type}`,
  keptEvents: (id: string) => `instance:${id}:kept-event:`,
  eventInterest: (id: string) => `instance:${id}:event-interest`,
  /** Time of the last event of a chat, by the keyed hash of the chat's address. */
  momment: (id: string, name: string) => `instance:${id}:momment:${name}`,
  times: (id: string) => `instance:${id}:momment:`,
  mommentFloor: (id: string) => `instance:${id}:momment-floor`,
  activityDay: (id: string, day: number): string => `${keys.activity(id)}${day}`,
  activity: (id: string) => `instance:${id}:activity:`,
  logEntry: (id: string, eventId: string) => `instance:${id}:log:${eventId}`,
  log: (id: string) => `instance:${id}:log:`,
  /** Entry in the index of ended events, by outcome and type. Only the key has a meaning. */
  logEnded: (id: string, status: string, type: string, eventId: string): string =>
    `${keys.logEndedBy(id, status, type)}${eventId}`,
  logEndedBy: (id: string, status: string, type: string): string => `instance:${id}:log-ended:${status}:${type}:`,
  /** Link to a received file that is not copied to the bucket yet. */
  mediaCopy: (id: string, eventId: string, index: number): string => `${keys.mediaCopies(id)}${eventId}-${index}`,
  mediaCopies: (id: string) => `instance:${id}:media-copy:`,
  mark: (id: string, generation: number, number: string) => `instance:${id}:seen:${generation}:${number}`,
  marks: (id: string, generation: number) => `instance:${id}:seen:${generation}:`,
  markGeneration: (id: string) => `instance:${id}:mark-generation`,
  journal: (id: string, key: string) => `instance:${id}:journal:${key}`,
  journals: (id: string) => `instance:${id}:journal:`,
  /** Received messages that cannot be processed, or whose replays all failed. */
  deadLetter: (id: string, key: string) => `instance:${id}:dead-letter:${key}`,
  deadLetters: (id: string) => `instance:${id}:dead-letter:`,
  call: (id: string, callId: string) => `instance:${id}:call:${callId}`,
  calls: (id: string) => `instance:${id}:call:`,
  /** Messages that could not be decrypted. They are reported after a while, unless the sender sends them again. */
  waiting: (id: string, mark: string) => `instance:${id}:waiting:${mark}`,
  waitings: (id: string) => `instance:${id}:waiting:`,
  /** Sent messages that are stored for retry receipts, for about 24 h, or for less time if there are too many. */
  sent: (id: string, messageId: string) => `instance:${id}:sent:${messageId}`,
  sents: (id: string) => `instance:${id}:sent:`,
  /** Id of a channel post that this account has sent, by the hash of the channel and of the post's number. */
  sentPost: (id: string, number: string) => `${keys.sentPosts(id)}${number}`,
  sentPosts: (id: string) => `instance:${id}:sent-post:`,
  /** Secrets that decrypt votes, answers to events, edits, reactions and comments. */
  secretsOf: (id: string, term: string) => `instance:${id}:message-secret:${term}:`,
  secrets: (id: string) => `instance:${id}:message-secret:`,
  authorsOf: (id: string, kind: string) => `instance:${id}:author:${kind}:`,
  authors: (id: string) => `instance:${id}:author:`,
  groupRoles: (id: string, jid: string) => `${keys.groupRolesOf(id)}${jid}`,
  groupRolesOf: (id: string) => `instance:${id}:group-roles:`,
  keptGroup: (id: string, jid: string) => `${keys.keptGroups(id)}${jid}`,
  keptGroups: (id: string) => `instance:${id}:group:`,
  groupList: (id: string) => `instance:${id}:group-list`,
  callAnswer: (id: string, caller: string) => `${keys.callAnswers(id)}${caller}`,
  callAnswers: (id: string) => `instance:${id}:call-answer:`,
  /**
   * Last reported receipt per message and participant, by week. With 5 digits, the order of weeks as text is the order
   * in time until the year 3886.
   */
  receipt: (id: string, week: number, subject: string) => `${keys.receiptWeek(id, week)}${subject}`,
  receiptWeek: (id: string, week: number): string => `instance:${id}:receipt-level:${String(week).padStart(5, '0')}:`,
  receipts: (id: string) => `instance:${id}:receipt-level:`,
  timelineFact: (id: string, week: number, subject: string, fact: string): string =>
    `${keys.timelineOf(id, week, subject)}${fact}`,
  timelineOf: (id: string, week: number, subject: string): string => `${keys.timelineWeek(id, week)}${subject}:`,
  timelineWeek: (id: string, week: number): string => `instance:${id}:timeline:${String(week).padStart(5, '0')}:`,
  timelines: (id: string) => `instance:${id}:timeline:`,
  /** Person saved on the phone, by the hash of the user part of their address. */
  savedContact: (id: string, user: string) => `instance:${id}:saved-contact:${user}`,
  savedContacts: (id: string) => `instance:${id}:saved-contact:`,
  directoryPart: (id: string, kind: string, part: number): string =>
    `${keys.directoryOf(id, kind)}${part.toString(16).padStart(3, '0')}`,
  directoryOf: (id: string, kind: string): string => `${keys.directory(id)}${kind}:`,
  directory: (id: string) => `instance:${id}:directory:`,
  /** Present once the directory of the account has been recorded since the pairing, or rebuilt from app state. */
  directoryBegun: (id: string) => `instance:${id}:directory-begun`,
  /** Collection of app state for which the account sent a change whose outcome is not known. */
  openChange: (id: string, collection: string) => `${keys.openChanges(id)}${collection}`,
  openChanges: (id: string) => `instance:${id}:open-change:`,
  disappearing: (id: string, jid: string) => `${keys.disappearings(id)}${jid}`,
  disappearings: (id: string) => `instance:${id}:disappearing:`,
  correspondent: (id: string, jid: string) => `instance:${id}:correspondent:${jid}`,
  correspondents: (id: string) => `instance:${id}:correspondent:`,
  /** Acknowledgements of sends with an idempotency key. They are valid for 24 h, and removed some time later. */
  idempotency: (id: string, hash: string) => `instance:${id}:acknowledged:${hash}`,
  idempotencies: (id: string) => `instance:${id}:acknowledged:`,
  /** Inline media of a queue item. They are stored among the blobs and not among the records. */
  blob: (id: string, svcId: string) => `${id}:${svcId}`,
  blobs: (id: string) => `${id}:`,
} as const

/**
 * Keys of the records that differ between two stores with the same data. A store without data may contain them, too.
 */
export const keysOfStore: ReadonlySet<string> = new Set([keys.owner, keys.storeMoved, keys.storeCopying, keys.storeCopied])
