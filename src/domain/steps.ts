/**
 * Steps at which a kill may separate one change from the next. Fault tests kill the service at a step; unit tests stop
 * at it.
 */
export type Step =
  | `queue:${
      // Queue. `before-send`: the item is recorded as in flight. `after-send`: the network has answered. `settled`: the
      // result is stored. `ahead`: media of the next item are being prepared.
      'before-send' | 'after-send' | 'settled' | 'ahead'
    }`
  // Send safety: a message waits; a first contact is counted but not committed; a `delivery` event about a used-up
  // budget is about to be committed.
  | `safety:${'held' | 'counted' | 'told'}`
  // Outbox, in this order: an event was chosen; it is about to be posted; the receiver answered; the outcome is stored.
  | `outbox:${'picked' | 'before-post' | 'after-post' | 'settled'}`
  | `inbox:${'before-commit' | 'after-commit' | 'after-receipt' | 'peer-confirmed' | 'peer-settled'}`
  | `receipt:${'before-commit' | 'after-commit'}`
  // App state, in this order: a change is recorded; the network accepted the change; the changed data is collected; it
  // is stored.
  | `app-state:${'marked' | 'changed' | 'held' | 'written'}`
  | `create:${'key'}`
  // Import, in this order: the file is on disk; a record is staged; the device is staged.
  // Then the key of the instance exists; a slice of the device's keys is written; the device is an instance.
  | `import:${'received' | 'staging' | 'staged' | 'key' | 'slice' | 'taken'}`
  // Command `instance export`, in this order: the request is written; the instance is stopped; the target is begun,
  // written, recorded and named.
  // Then some records, and later all of them, are removed; the instance runs again.
  | `export:${'ordered' | 'stopped' | 'begun' | 'written' | 'recorded' | 'named' | 'removing' | 'removed' | 'ended'}`
  // An order of a command: the service has carried it out and has not stored its answer yet.
  | `order:${'taken'}`
  | 'resume:ended'
  | `delete:${'recorded' | 'erased'}`
  | `rotate:${'cleared' | 'sealed' | 'replaced'}`
  // Command `store copy`, in this order: the target is begun; some records, a key and a medium are copied; all is
  // copied.
  // Then the source is recorded as moved, and the target is finished.
  | `copy:${'begun' | 'records' | 'key' | 'medium' | 'copied' | 'moved' | 'ended'}`

/**
 * Called at each step; does nothing outside of tests. `about` is the id of an item or an event. Many callers, such as
 * the queue and the outbox, await the promise.
 */
export type Steps = (step: Step, about?: string) => void | Promise<void>
