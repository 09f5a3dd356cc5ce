import { SECOND } from '../../../../src/domain/clock.ts'

export interface PacedReports<Subject> {
  /** Reports this subject after `ms`. A new delay replaces an earlier one. */
  in(subject: Subject, ms: number): void
  drop(subject: Subject): void
  stop(): void
}

/**
 * Pause in ms between two reports. Without this pause, two thousand reports about one sender would delay the messages
 * of other people.
 */
const PAUSE = SECOND / 40

export function createPacedReports<Subject>(report: (subject: Subject) => void): PacedReports<Subject> {
  const timers = new Map<Subject, NodeJS.Timeout>()
  const due = new Set<Subject>()
  let pausing: NodeJS.Timeout | undefined
  let isStopped = false

  function clear(subject: Subject) {
    clearTimeout(timers.get(subject))
    timers.delete(subject)
  }

  function reportDue() {
    pausing = undefined
    const [subject] = due
    if (subject === undefined || isStopped) return
    due.delete(subject)
    report(subject)
    pausing = setTimeout(reportDue, PAUSE)
    pausing.unref()
  }

  return {
    in(subject, ms) {
      if (isStopped) return
      clear(subject)
      const timer = setTimeout(() => {
        timers.delete(subject)
        due.add(subject)
        if (!pausing) reportDue()
      }, ms)
      timer.unref()
      timers.set(subject, timer)
    },
    drop(subject) {
      clear(subject)
      due.delete(subject)
    },
    stop() {
      isStopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      clearTimeout(pausing)
    },
  }
}
