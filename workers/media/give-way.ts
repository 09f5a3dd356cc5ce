/**
 * Lowers the priority of the calling thread alone: on a small machine a large body or picture then hardly delays requests and sessions. It works on
 * Linux only, where each thread has an id whose priority can be set.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * The nice value of the thread, which gets a third of the time of a thread with ordinary priority. Callers wait for
 * each of these threads, so it must not be higher: with 10, a ninth of the time, the thread needed 44 s to read one
 * body of 60 MB while six processes used the same core, and for these 44 s the body occupied its share of the memory
 * for bodies.
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
