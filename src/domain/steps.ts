/**
 * Names of the steps at which a kill may separate one change from the next one. Tests in `test/faults` kill the service at a step, and unit tests
 * stop at it.
 */
export type Step =
  | `queue:${
      // Steps of the queue: `before-send`: the item is recorded as in flight. `after-send`: the network has answered. `settled`: the result is
      // stored. `ahead`: media of the next item are being prepared.
      'before-send' | 'after-send' | 'settled' | 'ahead'
    }`
  // Send safety: a message is held; a first contact is counted, and its commit has not begun; a `delivery` event that reports a used-up budget is
  // ready to be committed.
  | `safety:${'held' | 'counted' | 'told'}`
  // Outbox, in this order: an event was chosen; the event is about to be posted; the receiver answered; the outcome is
  // stored.
  | `outbox:${'picked' | 'before-post' | 'after-post' | 'settled'}`
  | `inbox:${'before-commit' | 'after-commit' | 'after-receipt' | 'peer-confirmed' | 'peer-settled'}`
  | `receipt:${'before-commit' | 'after-commit'}`
  // App state, in this order: a change is recorded; the network accepted the change; the changed data is collected; the
  // data is stored.
  | `app-state:${'marked' | 'changed' | 'held' | 'written'}`
  | `create:${'key'}`
  // Import, in this order: the file is on disk; a record of an archive is staged; the whole device is staged; the key
  // of the device exists; a slice of its keys is written; the device is an instance.
  | `import:${'received' | 'staging' | 'staged' | 'key' | 'slice' | 'taken'}`
  // Command `instance export`, in this order: its first request is written; the instance is stopped; a part of the
  // target is written; the archive is written; the store records the path of the archive; the archive has its final
  // name; some records are removed; all records are removed; the instance has a shard again. For a folder, `written`
  // means that the whole folder is written.
  | `export:${'ordered' | 'stopped' | 'begun' | 'written' | 'recorded' | 'named' | 'removing' | 'removed' | 'ended'}`
  // Steps of calling off a move, in this order: the service has carried out the command's order and has not answered it yet; the instance is started
  // again; the record of its target is also removed.
  | `order:${'taken'}`
  | `resume:${'started' | 'ended'}`
  | `delete:${'recorded' | 'erased'}`
  | `rotate:${'cleared' | 'sealed' | 'replaced'}`
  // Command `store copy`, in this order: the target is marked as unfinished; some records, a key and a medium are
  // copied; everything is copied; the source is marked as moved; the target is finished.
  | `copy:${'begun' | 'records' | 'key' | 'medium' | 'copied' | 'moved' | 'ended'}`

/**
 * Runs at every step; does nothing outside of tests. `about` is the id of an item or an event. Queue and outbox await
 * the returned promise.
 */
export type Steps = (step: Step, about?: string) => void | Promise<void>
