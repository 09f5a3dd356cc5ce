import type { KeyStore } from '../../../../workers/shard/keys/key-store.ts'
import type { Inbox } from '../../../../workers/shard/keys/signal/inbox-seam.ts'

/** Commits only the keys: for tests and tools. */
export const directInbox = (keys: KeyStore): Inbox => ({
  admit: () => undefined,
  opened: ({ changes }) => keys.commit(changes),
})
