/**
 * Lowers the priority of the calling thread alone: on a small machine a large body or picture then hardly delays requests and sessions. It works on
 * Linux only, where each thread has an id whose priority can be set.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * With this value the thread gets a third of the time of a thread with ordinary priority. Callers wait for each of these threads, so they need some
 * time: with 10, a ninth, the thread needed 44 s to read one body of 60 MB while six processes used the same core, and during
 * these 44 s the body occupied a part of the memory for bodies.
 */
const BEHIND_OTHERS = 5

export function giveWay(): void {
  let thread: number
  try {
    // The link reads `<process>/task/<thread>`, for the calling thread.
    thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  setPriority(thread, BEHIND_OTHERS)
}
