import type { ReadonlySignal } from '@preact/signals'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { Refused } from '../api/refused.ts'
import { showToast } from '../parts/toast-list.ts'

export interface Loaded<T> {
  /**
   * Data of the last successful load. It stays during the next load, so that the layout of the page does not change.
   */
  data: T | undefined
  problem: Refused | undefined
  reload(): Promise<void>
}

export const refused = (error: unknown) => (error instanceof Refused ? error : new Refused(0, 'unknown', String(error)))

/**
 * Loads data, and loads it again when a value in `about` changes. Only the answer of the last load is used; the signals
 * of earlier loads are aborted.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, about: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data?: T; problem?: Refused }>({})
  const latest = useRef<AbortController | undefined>(undefined)
  const loader = useRef(load)
  loader.current = load
  const reload = useCallback(async () => {
    latest.current?.abort()
    const turn = new AbortController()
    latest.current = turn
    const next = await loader.current(turn.signal).then(
      (data) => ({ data }),
      (error: unknown) => ({ problem: refused(error) }),
    )
    if (turn === latest.current)
      setState((before) => ({ ...('problem' in next ? { data: before.data } : {}), ...next }) as typeof before)
  }, [])
  useEffect(() => {
    reload()
    return () => {
      latest.current?.abort()
      latest.current = undefined
    }
  }, about)
  return { data: state.data, problem: state.problem, reload }
}

export function useEvery(ms: number, what: () => unknown): void {
  const latest = useRef(what)
  latest.current = what
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && latest.current(), ms)
    return () => clearInterval(timer)
  }, [ms])
}

/** Calls a function after one of the signals has changed, at most once per interval, while the page is visible. */
export function useNews(ms: number, signals: readonly ReadonlySignal<unknown>[], reload: () => unknown): void {
  const isNew = useRef(false)
  useEffect(() => {
    const stops = signals.map((each) => {
      const seen = each.peek()
      return each.subscribe((value) => {
        if (value !== seen) isNew.current = true
      })
    })
    return () => {
      for (const stop of stops) stop()
    }
  }, [])
  useEvery(ms, () => {
    if (isNew.current) reload()
    isNew.current = false
  })
}

export interface Action<A extends unknown[]> {
  run(...args: A): Promise<boolean>
  isBusy: boolean
  problem: Refused | undefined
  clear(): void
}

/**
 * Makes an action for a control. While `isBusy` is true, `run` does nothing. `act` resolves with the message to show.
 */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<string | undefined>): Action<A> {
  const [isBusy, setBusy] = useState(false)
  // The state has its new value only after the next rendering.
  const isRunning = useRef(false)
  const [problem, setProblem] = useState<Refused>()
  async function run(...args: A): Promise<boolean> {
    if (isRunning.current) return false
    isRunning.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      const done = await act(...args)
      if (done) showToast(done)
      return true
    } catch (error) {
      setProblem(refused(error))
      return false
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }
  return { run, isBusy, problem, clear: () => setProblem(undefined) }
}
