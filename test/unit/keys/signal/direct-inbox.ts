import type { KeyStore } from '../../../../workers/shard/keys/key-store.ts'
import type { Inbox } from '../../../../workers/shard/keys/signal/inbox-seam.ts'

/** Commits the keys and nothing else: for tests and tools. */
export const directInbox = (keys: KeyStore): Inbox => ({
  admit: () => undefined,
  opened: ({ changes }) => keys.commit(changes),
})
