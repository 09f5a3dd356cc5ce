/** Every step that a kill may separate from the next: where `test/faults` ends the service for real, and unit tests stop. */
export type Step =
  | `queue:${
      // The item is named in flight, the network has answered, the outcome is stored.
      'before-send' | 'after-send' | 'settled'
    }`
  // An event was chosen, is about to be posted, was answered, and its outcome is stored.
  | `outbox:${'picked' | 'before-post' | 'after-post' | 'settled'}`
  | `inbox:${'before-commit' | 'after-commit' | 'after-receipt' | 'peer-confirmed' | 'peer-settled'}`
  | `receipt:${'before-commit' | 'after-commit'}`
  // A change of ours is marked, taken by the network; what was read or changed is collected, and stored.
  | `app-state:${'marked' | 'changed' | 'held' | 'written'}`
  | `create:${'key'}`
  // Of a device from elsewhere: its key is made, a slice of its keys is written, it is an instance.
  | `import:${'key' | 'slice' | 'taken'}`
  | `delete:${'recorded' | 'erased'}`
  | `rotate:${'cleared' | 'sealed' | 'replaced'}`
  | `upgrade:${'key' | 'records' | 'before-mark'}`

/** Called at every step; does nothing outside of tests. `about`: the id of an item or an event. Queue and outbox await what it returns. */
export type Steps = (step: Step, about?: string) => void | Promise<void>
