/** Decides whether the owner of a schema has ended or hangs, so that a standby may replace it. */
import { createNodeWatch, type NodeVerdict } from './node-watch.ts'

export interface OwnerLook {
  /** Row of the owner in `svc_service`. An owner that shut down properly has removed its row. */
  node?: { writer: string; beat: number } | undefined
  /** Id of the connection that holds the lock of the schema. The server releases the lock of a killed process. */
  holder?: string | undefined
}

/** `free`: nobody owns the schema. The other verdicts are about its owner. */
export type Verdict = 'free' | Exclude<NodeVerdict, 'unconnected'>

export interface OwnerWatch {
  /** Judges the owner. `askedAt` is the time of the standby's own clock at which the query was sent. */
  judge(look: OwnerLook, askedAt: number): Verdict
  /**
   * Begins the observation again at the next look. Called when the database could not be reached, or a takeover was
   * tried.
   */
  forget(): void
}

export function createOwnerWatch(now: () => number): OwnerWatch {
  const watch = createNodeWatch(now)
  return {
    judge({ node, holder }, askedAt) {
      const owners = node === undefined ? [] : [{ id: node.writer, beat: node.beat, connection: holder }]
      const [verdict] = watch.judge(owners, askedAt).values()
      if (verdict === 'unconnected') return 'dead'
      // An owner that is just starting takes the lock first and writes its row later, so a lock without a row means
      // `alive`.
      return verdict ?? (holder === undefined ? 'free' : 'alive')
    },
    forget: watch.forget,
  }
}
