/**
 * Reads the events of an instance while the page is open. Only the newest are kept, so that the memory does not grow.
 */
import { useEffect, useState } from 'preact/hooks'
import { EVENT_TYPES } from '../../../domain/events.ts'
import { readStream } from '../../api/stream.ts'
import type { SeenEvent } from './as-test.ts'

const KEPT = 200
const AGAIN_AFTER_MS = 3_000

export interface Watched {
  state: 'waiting' | 'live' | 'refused'
  /** Events of the instance, the newest first. */
  events: readonly SeenEvent[]
}

const OWN_EVENTS = new Set(['ready', 'gap'])

/**
 * Reads the type of an event from its body, because the events in the stream have no name. Empty if the type is
 * unknown.
 */
function typeOf(body: string): string {
  try {
    const { type } = JSON.parse(body) as { type?: unknown }
    return EVENT_TYPES.find((each) => each === type) ?? ''
  } catch {
    return ''
  }
}

export function useWatched(instance: string): Watched {
  const [state, setState] = useState<Watched['state']>('waiting')
  const [events, setEvents] = useState<readonly SeenEvent[]>([])
  useEffect(() => {
    const leave = new AbortController()
    let lastEventId = ''
    let again: ReturnType<typeof setTimeout> | undefined
    function open() {
      void readStream(`api/instances/${encodeURIComponent(instance)}/events`, {
        signal: leave.signal,
        lastEventId,
        onOpen: () => setState('live'),
        onEvent({ event = '', id = '', data }) {
          lastEventId = id || lastEventId
          if (OWN_EVENTS.has(event)) return
          setEvents((before) => [{ id, type: typeOf(data), instance, body: data }, ...before].slice(0, KEPT))
        },
        onRetry() {},
      }).then((end) => {
        if (leave.signal.aborted) return
        setState(end === 'cut' ? 'waiting' : 'refused')
        again = setTimeout(open, AGAIN_AFTER_MS)
      })
    }
    open()
    return () => {
      leave.abort()
      clearTimeout(again)
    }
  }, [instance])
  return { state, events }
}
