/** Every step at which a kill may separate a change from the next one: `test/faults` kills the service there, and unit tests stop there. */
export type Step =
  | `queue:${
      // `before-send`: the item is recorded as in flight. `after-send`: the network has answered. `settled`: the result is stored. `ahead`: media of
      // the next item are being prepared.
      'before-send' | 'after-send' | 'settled' | 'ahead'
    }`
  // An event was chosen; it is about to be posted; it was answered; its outcome is stored.
  | `outbox:${'picked' | 'before-post' | 'after-post' | 'settled'}`
  | `inbox:${'before-commit' | 'after-commit' | 'after-receipt' | 'peer-confirmed' | 'peer-settled'}`
  | `receipt:${'before-commit' | 'after-commit'}`
  // A change to app state is recorded; the network accepted it; the changed data is collected; it is stored.
  | `app-state:${'marked' | 'changed' | 'held' | 'written'}`
  | `create:${'key'}`
  // An imported device: its file is on disk; a record of an archive is staged; the whole device is staged; its key exists; a slice of its keys is
  // written; it is an instance.
  | `import:${'received' | 'staging' | 'staged' | 'key' | 'slice' | 'taken'}`
  // The command `instance export`: its first request is written; the instance is stopped; a part of the target is written; the archive is written; the
  // store records where it is; it has its name; some records are removed; all are; the instance has a shard again. And for a folder: all is written.
  | `export:${'ordered' | 'stopped' | 'begun' | 'written' | 'recorded' | 'named' | 'removing' | 'removed' | 'ended'}`
  | `delete:${'recorded' | 'erased'}`
  | `rotate:${'cleared' | 'sealed' | 'replaced'}`

/** Called at every step; does nothing outside of tests. `about` is the id of an item or an event. Queue and outbox await the returned promise. */
export type Steps = (step: Step, about?: string) => void | Promise<void>
