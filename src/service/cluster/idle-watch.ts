/**
 * Finds the instances that this member has, but does not run, because the work that should have started them was
 * interrupted.
 */
export function createIdleWatch(isIdle: (instance: string) => boolean) {
  let before: ReadonlySet<string> = new Set()

  return {
    /**
     * Returns the instances that are idle and were idle at the last call too: at one call, an instance may be in the
     * middle of its start.
     */
    look(instances: readonly string[]): string[] {
      const idle = instances.filter(isIdle)
      const found = idle.filter((each) => before.has(each))
      before = new Set(idle)
      return found
    },
  }
}
