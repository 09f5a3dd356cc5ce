/** Sums a sampled profile of allocations for each function. */
import { type CallFrame, sourceOf } from './sources.ts'

interface AllocationNode {
  callFrame: CallFrame
  selfSize: number
  children: AllocationNode[]
}

export interface AllocationProfile {
  head: AllocationNode
  collections: { young: number; old: number }
}

const nameOf = (frame: CallFrame) => `${frame.functionName || '(anonymous)'} ${sourceOf(frame).split('/').slice(-2).join('/')}`

const largestFirst = (sums: Map<string, number>) => [...sums].sort(([, one], [, other]) => other - one)

/**
 * Returns the bytes by function. `own` has the bytes that a function allocated itself, and `within` also those of the
 * functions that it called.
 */
export function byFunction({ head }: AllocationProfile) {
  const own = new Map<string, number>()
  const within = new Map<string, number>()
  const add = (sums: Map<string, number>, name: string, bytes: number) => sums.set(name, (sums.get(name) ?? 0) + bytes)

  function visit({ callFrame, selfSize, children }: AllocationNode, callers: ReadonlySet<string>): number {
    const name = nameOf(callFrame)
    add(own, name, selfSize)
    const above = callers.has(name) ? callers : new Set(callers).add(name)
    const bytes = children.reduce((sum, child) => sum + visit(child, above), selfSize)
    // A function that calls itself is counted only once per chain of calls.
    if (!callers.has(name)) add(within, name, bytes)
    return bytes
  }
  const bytes = visit(head, new Set())
  return { bytes, own: largestFirst(own), within: largestFirst(within) }
}
