/**
 * Lowers the priority of the calling thread alone: on a small machine a large body or picture then delays requests and sessions little. Linux
 * only, where each thread has an id that a priority can be set for.
 */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * A third of what a thread of ordinary priority gets beside it. Somebody waits for each of these threads, so it must not be what is to spare: with 10, a
 * ninth, one 60 MB body took 44 s to be read where six processes wanted the same core, and held its share of the memory for bodies.
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
