/**
 * Finds the instances that this member has, but does not run, because the work that should have started them was
 * interrupted. Without it they would stay so for as long as this member runs.
 */
export function createIdleWatch(isIdle: (instance: string) => boolean) {
  let before: ReadonlySet<string> = new Set()

  return {
    /** Returns those that were also idle at the last call: a single look may see an instance in the middle of its start. */
    look(instances: readonly string[]): string[] {
      const idle = instances.filter(isIdle)
      const found = idle.filter((each) => before.has(each))
      before = new Set(idle)
      return found
    },
  }
}
