export interface LookLoop {
  /** Looks now, or directly after the look that is under way. Does nothing before `begin` and after `stop`. */
  now(): void
  /** Begins with a first look, and resolves when it has ended. */
  begin(): Promise<void>
  /** Settles when the loop has nothing more to do; undefined if no look is under way. */
  underWay(): Promise<void> | undefined
  /** Begins no further look. */
  stop(): void
  isStopped(): boolean
}

/** Runs looks one after the other; all requests during a look lead to one more look. `look` must never reject. */
export function createLookLoop(look: () => Promise<void>): LookLoop {
  let looking: Promise<void> | undefined
  let isDue = false
  let hasBegun = false
  let isStopped = false

  async function follow(): Promise<void> {
    while (isDue && !isStopped) {
      isDue = false
      await look()
    }
    looking = undefined
  }

  return {
    now() {
      if (!hasBegun || isStopped) return
      isDue = true
      looking ??= follow()
    },
    begin() {
      const first = look()
      hasBegun = true
      looking = first.then(follow)
      return first
    },
    underWay: () => looking,
    stop() {
      isStopped = true
    },
    isStopped: () => isStopped,
  }
}
