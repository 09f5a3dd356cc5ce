/**
 * The web client version that every connection states; the network answers 405 if it is too old. A newer one is fetched
 * only after a refusal, and only from the network itself.
 */
import type { WAVersion } from '@whiskeysockets/baileys'

/** The version with which this release was tested: the library's own, as of 7.0.0-rc14. */
export const BUILT_IN_VERSION: WAVersion = [2, 3000, 1043857760]

export interface VersionState {
  current: WAVersion
  /** The version of the last successful login; null before the first login. */
  lastGood: WAVersion | null
  refused: WAVersion[]
}

const KEPT_REFUSED = 10

const sameVersion = (a: WAVersion, b: WAVersion) => a.every((part, at) => part === b[at])

export function isNewer(a: WAVersion, b: WAVersion): boolean {
  const at = a.findIndex((part, index) => part !== b[index])
  return at >= 0 && a[at]! > b[at]!
}

const isRefused = ({ refused }: VersionState, version: WAVersion) => refused.some((other) => sameVersion(other, version))

/**
 * Chooses the version that the operator has set. If none is set, or the network has refused it, chooses the stored
 * version, or that of this release if it is newer.
 */
export function startVersion(stored: VersionState | null, wanted: WAVersion | null = null): VersionState {
  const state = stored ?? { current: BUILT_IN_VERSION, lastGood: null, refused: [] }
  if (wanted && !isRefused(state, wanted)) return { ...state, current: wanted }
  return isNewer(BUILT_IN_VERSION, state.current) ? { ...state, current: BUILT_IN_VERSION } : state
}

export const afterLogin = (state: VersionState, used: WAVersion): VersionState => ({
  ...state,
  lastGood: used,
  refused: state.refused.filter((version) => !sameVersion(version, used)),
})

/**
 * Records that `used` was refused, and chooses the first version that was not: the fetched, the current, the last good,
 * or the built-in one. If all were refused, the version stays, and `isChanged` is false.
 */
export function afterRefusal(
  state: VersionState,
  used: WAVersion,
  fetched: WAVersion | null,
): VersionState & { isChanged: boolean } {
  const refused = [...state.refused.filter((version) => !sameVersion(version, used)), used].slice(-KEPT_REFUSED)
  const candidates = [fetched, state.current, state.lastGood, BUILT_IN_VERSION].filter((version) => version !== null)
  const next = candidates.find((version) => !refused.some((other) => sameVersion(other, version)))
  return { current: next ?? state.current, lastGood: state.lastGood, refused, isChanged: next !== undefined }
}

export interface WebVersion {
  current(): WAVersion
  state(): VersionState
  loggedIn(used: WAVersion): Promise<void>
  refused(used: WAVersion): Promise<boolean>
}

export interface WebVersionDeps {
  stored: VersionState | null
  save(state: VersionState): Promise<void>
  wanted?: WAVersion | null
  /** Called only after a refusal, and once for all instances that are refused at the same time. */
  refresh?: (() => Promise<WAVersion | null>) | undefined
  onError(error: unknown): void
}

export function createWebVersion({ stored, wanted = null, save, refresh, onError }: WebVersionDeps): WebVersion {
  let state = startVersion(stored, wanted)
  let fetching: Promise<WAVersion | null> | undefined

  async function fetchOnce(): Promise<WAVersion | null> {
    if (!refresh) return null
    fetching ??= refresh()
      .catch((error) => {
        onError(error)
        return null
      })
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }

  return {
    current: () => state.current,
    state: () => state,
    async loggedIn(used) {
      if (state.lastGood && sameVersion(state.lastGood, used)) return
      state = afterLogin(state, used)
      await save(state)
    },
    async refused(used) {
      // Another instance was refused before, so the next version is already chosen.
      if (!sameVersion(used, state.current)) return true
      const fetched = await fetchOnce()
      if (!sameVersion(used, state.current)) return true
      const { isChanged, ...next } = afterRefusal(state, used, fetched)
      state = next
      await save(state)
      return isChanged
    },
  }
}
