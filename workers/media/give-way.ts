/**
 * Lowers the priority of the calling thread only, so that a large body or picture hardly delays requests and sessions on a small machine. It works
 * only on Linux, where each thread has an id whose priority can be set.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * The nice value of the thread: it gets a third of the CPU time of a thread with ordinary priority. Callers wait for these threads, so the value must
 * not be higher. With 10 (a ninth of the time), a body of 60 MB took 44 s while six processes used the same core, and occupied its memory for all
 * that time.
 */
const BEHIND_OTHERS = 5

export function giveWay(): void {
  let thread: number
  try {
    // The link points to `<process>/task/<thread>` of the calling thread.
    thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  setPriority(thread, BEHIND_OTHERS)
}
